import type { ValidationError } from '../../config/validation-errors.ts'
import type { ProfileDraft } from '../../core/profile.ts'
import { readProfilesXml } from './profile-file.ts'
import { type ProfileRules, readProfileJson } from './values/profile-values.ts'

/** One profile from a request body; JSON as text. */
export type ProfileText = { form: 'json'; text: string } | { form: 'xml'; xml: Uint8Array }

export type ReadBody =
  | { kind: 'read'; draft: ProfileDraft; id: string | null; owner: string | null }
  | { kind: 'invalid'; errors: ValidationError[] }

export function readProfileBody(body: ProfileText, rules: ProfileRules): ReadBody {
  if (body.form === 'json') {
    const read = readProfileJson(JSON.parse(body.text), rules)
    return read.kind === 'invalid' ? read : { kind: 'read', draft: read.profile, id: read.id, owner: read.owner }
  }
  const file = readProfilesXml(body.xml, rules)
  if (file.kind === 'invalid') {
    const errors = file.errors.map(({ line, message }) => ({ place: line === null ? '' : `line ${line}`, message }))
    return { kind: 'invalid', errors }
  }
  const [first, second] = file.items
  if (first === undefined || second !== undefined) {
    const message = `expected one profile, not ${file.items.length}`
    return { kind: 'invalid', errors: [{ place: '', message }] }
  }
  return { kind: 'read', draft: first.profile, id: first.id, owner: first.owner }
}
