import type { ValidationError } from '../../../config/validation-errors.ts'
import { AppError } from '../../../core/errors.ts'
import type { Source } from '../../../core/profile.ts'
import { supportOf } from '../../profiles/protocols.ts'
import { createPlainValues } from '../../profiles/values/plain-values.ts'
import { readSourceValues, type SourceRules } from '../../profiles/values/source-values.ts'

/**
 * One source, by the rules for those of profiles. Places of errors are as in a profile, without the source's own: `uri`, `select[0]`.
 * `spell` is how its protocol spells it.
 */
export function readTriedSource(
  value: unknown,
  rules: SourceRules,
  spell: (uri: string) => string,
): { kind: 'source'; source: Source } | { kind: 'invalid'; errors: ValidationError[] } {
  const values = createPlainValues()
  const source = readSourceValues(value, PLACE, { rules, process: 'track' }, values)
  const support = supportOf(source.uri, [...rules.abilities.keys()])
  if (values.errors.length === 0 && support.kind !== 'supported') values.reject(`${PLACE}.uri`, support.message)
  const uri =
    values.errors.length > 0 ? '' : spelt(source.uri, spell, (message) => values.reject(`${PLACE}.uri`, message))
  if (values.errors.length === 0) return { kind: 'source', source: { ...source, uri } }
  const errors = values.errors.map(({ place, message }) => ({ place: place.replace(/^source\.?/, ''), message }))
  return { kind: 'invalid', errors }
}

const PLACE = 'source'

function spelt(uri: string, spell: (uri: string) => string, reject: (message: string) => void): string {
  try {
    return spell(uri)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    reject(error.message)
    return ''
  }
}
