import type { ValidationError } from '../../../config/validation-errors.ts'
import { AppError } from '../../../core/errors.ts'
import type { Source } from '../../../core/profile.ts'
import { expandParameters } from '../../../core/url/data-parameters.ts'
import { supportOf } from '../../profiles/protocols.ts'
import { createPlainValues } from '../../profiles/values/plain-values.ts'
import { readSourceValues, type SourceRules } from '../../profiles/values/source-values.ts'

/**
 * Reads one source by the same rules as in profiles. Error places are relative to the source: `uri`, `select[0]`. `spell` normalises
 * the URI for its protocol. `keywords`, given along with the source, are those of its profile, for an address with `{keywords}`.
 */
export function readTriedSource(
  value: Readonly<Record<string, unknown>>,
  rules: SourceRules,
  spell: (uri: string) => string,
): { kind: 'source'; source: Source } | { kind: 'invalid'; errors: ValidationError[] } {
  const values = createPlainValues()
  const { keywords: given, ...rest } = value
  const keywords = values
    .list(given, `${PLACE}.keywords`, MAX_KEYWORDS)
    .map((each, index) => values.text(each, `${PLACE}.keywords[${index}]`) ?? '')
  const source = readSourceValues(rest, PLACE, { rules, process: 'track' }, values)
  const support = supportOf(source.uri, [...rules.abilities.keys()])
  if (values.errors.length === 0 && support.kind !== 'supported') values.reject(`${PLACE}.uri`, support.message)
  const uri =
    values.errors.length > 0
      ? ''
      : spelt(
          () => spell(expandParameters(source.uri, { keywords })),
          (message) => values.reject(`${PLACE}.uri`, message),
        )
  if (values.errors.length === 0) return { kind: 'source', source: { ...source, uri } }
  const errors = values.errors.map(({ place, message }) => ({ place: place.replace(/^source\.?/, ''), message }))
  return { kind: 'invalid', errors }
}

const PLACE = 'source'
const MAX_KEYWORDS = 1000

function spelt(spell: () => string, reject: (message: string) => void): string {
  try {
    return spell()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    reject(error.message)
    return ''
  }
}
