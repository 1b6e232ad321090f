import type { ValidationError } from '../../config/validation-errors.ts'
import { isAppError } from '../../core/errors.ts'
import { maxRenderSteps, maxRenderText, parseRenderSteps } from '../../core/url/render-steps.ts'
import { isHeaderName, mayCarrySecret } from '../../crawl/fetch/web-secret.ts'
import type { SecretValues } from './sealing.ts'

/** A field of a kind of credentials. All kinds together have few fields, and a form shows them one below the other. */
export type CredentialField = {
  name: string
  maxLength: number
  /** For fields of several lines. */
  maxLines?: number
  isOptional?: true
  /** What is wrong with it, if anything. */
  faultOf?(value: string): string | null
}

const user: CredentialField = { name: 'user', maxLength: 500 }
const password: CredentialField = { name: 'password', maxLength: 1000 }
const MAX_TOKEN = 8000

function headerFault(name: string): string | null {
  if (!isHeaderName(name)) return 'is not the name of a header'
  return mayCarrySecret(name) ? null : 'is a header that the program sets itself'
}

const headerValueFault = (value: string): string | null =>
  /[^\t\x20-\x7e\x80-\xff]/.test(value) ? 'has characters that a header must not hold' : null

/** Own messages, as the parser's quote the line, which may contain a password. */
function stepsFault(value: string): string | null {
  if (value.trim() === '') return 'is empty'
  const wrong = value.split('\n').findIndex((line) => !areSteps(line))
  if (wrong !== -1)
    return `line ${wrong + 1} is not a step such as go https://…, click #accept, fill #user:={user}, press Enter or wait quiet`
  return areSteps(value) ? null : `has more than ${maxRenderSteps} steps`
}

function areSteps(text: string): boolean {
  try {
    parseRenderSteps(text)
    return true
  } catch (error) {
    if (!isAppError(error, 'url-invalid')) throw error
    return false
  }
}

export const credentialKinds = ['password', 'bearer', 'header', 'cookie', 'steps'] as const
export type CredentialKind = (typeof credentialKinds)[number]

const kindFields: Record<CredentialKind, readonly CredentialField[]> = {
  password: [user, password],
  bearer: [{ name: 'token', maxLength: MAX_TOKEN, faultOf: headerValueFault }],
  header: [
    { name: 'name', maxLength: 100, faultOf: headerFault },
    { name: 'value', maxLength: MAX_TOKEN, faultOf: headerValueFault },
  ],
  cookie: [{ name: 'cookie', maxLength: MAX_TOKEN, faultOf: headerValueFault }],
  steps: [
    { name: 'steps', maxLength: maxRenderText, maxLines: maxRenderSteps, faultOf: stepsFault },
    { ...user, isOptional: true },
    { ...password, isOptional: true },
  ],
}

/** The field shown to the owner as a hint. */
const hints: Record<CredentialKind, string> = {
  password: 'user',
  bearer: '',
  header: 'name',
  cookie: '',
  steps: 'user',
}

/** Names of the fields of a kind, in the order of prompting. */
export const credentialFields = (kind: CredentialKind): string[] => kindFields[kind].map(({ name }) => name)

export type ReadValues =
  | { kind: 'read'; values: SecretValues; hint: string }
  | { kind: 'invalid'; errors: ValidationError[] }

/**
 * Validates the values of one kind. Omitted values are taken from `known`, if there, so that a password need not be entered again when
 * editing. Error messages never contain a value.
 */
export function readCredentialValues(
  kind: CredentialKind,
  given: SecretValues,
  known: SecretValues | null,
): ReadValues {
  const fields = kindFields[kind]
  const errors: ValidationError[] = []
  const values = new Map<string, string>()
  for (const field of fields) {
    const value = ownValue(given, field.name) ?? ownValue(known ?? {}, field.name) ?? ''
    const fault = faultOf(field, value)
    if (fault !== null) errors.push({ place: `values.${field.name}`, message: fault })
    values.set(field.name, value)
  }
  for (const name of Object.keys(given))
    if (!fields.some((field) => field.name === name))
      errors.push({ place: `values.${name.slice(0, 60)}`, message: `is not part of credentials of the kind ${kind}` })
  if (errors.length > 0) return { kind: 'invalid', errors }
  return { kind: 'read', values: Object.fromEntries(values), hint: values.get(hints[kind]) ?? '' }
}

const ownValue = (values: SecretValues, name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

function faultOf(
  { maxLength, maxLines = 1, isOptional, faultOf: further }: CredentialField,
  value: string,
): string | null {
  if (value === '') return isOptional === true ? null : 'is missing'
  if (value.length > maxLength) return `is longer than ${maxLength} characters`
  const lines = maxLines > 1 ? value.split('\n') : [value]
  if (lines.length > maxLines) return `has more than ${maxLines} lines`
  if (lines.some((line) => /[\p{Cc}\p{Cs}\u2028\u2029]/u.test(line)))
    return maxLines > 1 ? 'has control characters in it' : 'has line breaks or control characters in it'
  return further?.(value) ?? null
}
