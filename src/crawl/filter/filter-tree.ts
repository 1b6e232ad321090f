import { createPattern } from '../../core/pattern/pattern.ts'
import { createSourceMatch } from '../../core/url/source-match.ts'
import type { UrlCondition } from '../../core/url/url-condition.ts'
import { createIgnoredTypes } from './ignored-types.ts'
import type { UrlFilter } from './url-filter.ts'

/** The filter of a validated configuration; null accepts everything. */
export function createFilterTree(condition: UrlCondition | null): UrlFilter {
  return { name: 'filter', accepts: condition === null ? () => true : testOf(condition) }
}

type Test = (url: string) => boolean

function testOf(condition: UrlCondition): Test {
  if ('all' in condition) {
    const tests = condition.all.map(testOf)
    return (url) => tests.every((test) => test(url))
  }
  if ('any' in condition) {
    const tests = condition.any.map(testOf)
    return (url) => tests.some((test) => test(url))
  }
  if ('not' in condition) {
    const test = testOf(condition.not)
    return (url) => !test(url)
  }
  if ('url' in condition) {
    const pattern = createPattern(condition.url)
    return (url) => pattern.matches(url)
  }
  if ('host' in condition) return createSourceMatch(condition.host) ?? (() => false)
  if ('prefix' in condition) return createSourceMatch(condition.prefix) ?? (() => false)
  if ('protocol' in condition) return (url) => url.startsWith(`${condition.protocol}:`)
  if ('suffix' in condition) return createIgnoredTypes([condition.suffix]).hasIgnoredSuffix
  const { min = 0, max = Number.POSITIVE_INFINITY } = condition.length
  return (url) => url.length >= min && url.length <= max
}
