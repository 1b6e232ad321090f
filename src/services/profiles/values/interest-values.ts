import { AppError } from '../../../core/errors.ts'
import { createPattern } from '../../../core/pattern/pattern.ts'
import { type Interests, type Keyword, matches } from '../../../core/profile.ts'
import { ignoreLimits } from '../../../core/text/ignored-text.ts'
import { interestLimits } from '../../../matching/interests/interest-limits.ts'
import { profileDefaults } from '../../../xml/profile/profile.ts'
import type { PlainRecord, PlainValues } from './plain-values.ts'

const interestKeys = ['keywords', 'exclude', 'expression', 'threshold', 'stemming', 'scorer', 'ignore', 'match']

/** Placeholders for unreadable values, so that the rest can still be validated: they cause no further errors. */
const stoppers = { key: 'x', weight: 100_000 }

/** Reads interests and checks their shape. Whether their words, weights and conditions make sense is checked by matching. */
export function readInterestValues(value: unknown, values: PlainValues): Interests {
  const given = values.record(value, 'interests', interestKeys)
  const text = (key: 'stemming' | 'scorer', max?: number) =>
    values.text(given[key], `interests.${key}`, { mayBeEmpty: true, ...(max === undefined ? {} : { max }) })
  return {
    keywords: values
      .list(given.keywords, 'interests.keywords', interestLimits.keywords)
      .map((keyword, index) => readKeyword(keyword, `interests.keywords[${index}]`, values)),
    exclude: values
      .list(given.exclude, 'interests.exclude', interestLimits.exclusions)
      .map((key, index) => readTerm(key, `interests.exclude[${index}]`, values)),
    expression: readExpressionText(given, values),
    threshold: values.number(given.threshold, 'interests.threshold') ?? profileDefaults.threshold,
    stemming: text('stemming') ?? profileDefaults.stemming,
    scorer: text('scorer') || profileDefaults.scorer,
    ignore: values
      .list(given.ignore, 'interests.ignore', ignoreLimits.patterns)
      .map((source, index) => readIgnored(source, `interests.ignore[${index}]`, values)),
    match: values.oneOf(given.match, 'interests.match', matches) ?? profileDefaults.match,
  }
}

/** A plain string is a keyword with the default weight. */
function readKeyword(value: unknown, place: string, values: PlainValues): Keyword {
  if (typeof value === 'string') return { key: readTerm(value, place, values), weight: profileDefaults.weight }
  const given = values.required(value, place, ['key', 'weight'])
  if (given === null) return stoppers
  const key = readTerm(given.key, `${place}.key`, values)
  if (given.weight === undefined || given.weight === null) return { key, weight: profileDefaults.weight }
  return { key, weight: values.number(given.weight, `${place}.weight`) ?? stoppers.weight }
}

function readTerm(value: unknown, place: string, values: PlainValues): string {
  if (value === undefined || value === null) values.reject(place, 'is missing')
  return values.text(value, place, { max: interestLimits.keyLength }) ?? stoppers.key
}

function readIgnored(value: unknown, place: string, values: PlainValues): string {
  if (value === undefined || value === null) values.reject(place, 'is missing')
  const source = values.text(value, place, { max: ignoreLimits.patternLength }) ?? stoppers.key
  try {
    createPattern(source)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    values.reject(place, error.message)
  }
  return source
}

/** Joins the lines of a multi-line expression. */
function readExpressionText(given: PlainRecord, values: PlainValues): string {
  const source = given.expression
  const flat = typeof source === 'string' ? source.replace(/[\t\r\n]+/g, ' ').trim() : source
  return values.text(flat, 'interests.expression', { max: interestLimits.expressionLength, mayBeEmpty: true }) ?? ''
}
