import type { ValidationError } from '../../config/validation-errors.ts'
import type { ProfileDraft, ProfileUrd } from '../../core/profile.ts'
import { type PlainItem, readProfiles } from '../../xml/profile/profile-reader.ts'
import { readUrds } from '../../xml/profile/urd-reader.ts'
import type { XmlError } from '../../xml/xml-tokens.ts'
import { rootNameOf, treeLimits } from '../../xml/xml-tree.ts'
import { supportOf } from './protocols.ts'
import { type ProfileRules, readProfileJson } from './values/profile-values.ts'
import { profilesOfUrds, readUrdValues } from './values/urd-values.ts'

/** Maximum number of errors reported per file. */
const MAX_FAULTS = 1000

/** A validation error in a file; the line is null if the format has none. */
export type FileError = { line: number | null; message: string }

/** A profile of a file. `id` and `owner` are null if the file has none. */
export type FileProfile = { id: string | null; owner: string | null; profile: ProfileDraft; line: number | null }

export type ReadFile<T> =
  /** `notes` are not errors: sources of protocols that are not supported yet. */
  { kind: 'read'; items: T[]; notes: FileError[] } | { kind: 'invalid'; errors: FileError[] }

/** Reads profiles in XML. If the file has unified resource descriptions instead, builds profiles from them. */
export function readProfilesXml(xml: string | Uint8Array, rules: ProfileRules): ReadFile<FileProfile> {
  const root = rootNameOf(xml)
  if (root === 'urd' || root === 'urds') return profilesFromUrds(readUrdsXml(xml, rules))
  const { profiles, errors } = readProfiles(xml)
  const found = createFindings(errors, rules)
  for (const item of profiles) {
    if (found.isFull()) break
    const { plain, id, owner, line } = item
    const read = readProfileJson({ ...plain, id: id || null, owner: owner || null }, rules)
    if (read.kind === 'invalid') found.wrong(item, read.errors)
    else found.right({ id: read.id, owner: read.owner, profile: read.profile, line }, item, read.profile.sources)
  }
  return found.result()
}

/** Unified resource descriptions in XML. */
export function readUrdsXml(
  xml: string | Uint8Array,
  rules: ProfileRules,
): ReadFile<{ urd: ProfileUrd; line: number | null }> {
  const { urds, errors } = readUrds(xml)
  const found = createFindings<{ urd: ProfileUrd; line: number | null }>(errors, rules)
  for (const item of urds) {
    if (found.isFull()) break
    const read = readUrdValues(item, rules)
    if (read.kind === 'invalid') found.wrong(item, read.errors)
    else found.right({ urd: read.urd, line: item.line }, item, [read.urd.source])
  }
  return found.result()
}

/** One profile in JSON, or a list of them. */
export function readProfilesJson(text: string, rules: ProfileRules): ReadFile<FileProfile> {
  if (Buffer.byteLength(text) > treeLimits.maxBytes)
    return { kind: 'invalid', errors: [{ line: 1, message: `the file is larger than ${treeLimits.maxBytes} bytes` }] }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { kind: 'invalid', errors: [{ line: null, message: (error as SyntaxError).message.slice(0, 300) }] }
  }
  const found = createFindings<FileProfile>([], rules)
  for (const [index, each] of (Array.isArray(value) ? value : [value]).entries()) {
    if (found.isFull()) break
    const at = Array.isArray(value) ? `[${index}]` : ''
    const locate = (place: string) => ({ line: null, name: [at, place].filter((part) => part !== '').join('.') })
    const read = readProfileJson(each, rules)
    if (read.kind === 'invalid') found.wrong({ locate }, read.errors)
    else
      found.right(
        { id: read.id, owner: read.owner, profile: read.profile, line: null },
        { locate },
        read.profile.sources,
      )
  }
  return found.result()
}

type Located = { locate(place: string): { line: number | null; name: string } } | Pick<PlainItem, 'locate'>

/** Collects valid items and all errors, in the order of lines. */
function createFindings<T = FileProfile>(before: readonly XmlError[], { abilities }: ProfileRules) {
  const schemes = [...abilities.keys()]
  const errors: FileError[] = [...before]
  const notes: FileError[] = []
  const items: T[] = []

  function say(list: FileError[], { locate }: Located, place: string, message: string): void {
    const { line, name } = locate(place)
    if (list.length < MAX_FAULTS) list.push({ line, message: name === '' ? message : `${name}: ${message}` })
  }

  return {
    isFull: () => errors.length >= MAX_FAULTS,
    wrong(at: Located, found: readonly ValidationError[]): void {
      for (const { place, message } of found) say(errors, at, place, message)
    },
    right(item: T, at: Located, sources: readonly { uri: string }[]): void {
      for (const [index, { uri }] of sources.entries()) {
        const support = supportOf(uri, schemes)
        if (support.kind !== 'supported') say(notes, at, `sources[${index}].uri`, support.message)
      }
      items.push(item)
    },
    result(): ReadFile<T> {
      if (errors.length > 0) return { kind: 'invalid', errors: errors.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) }
      return { kind: 'read', items, notes }
    },
  }
}

function profilesFromUrds(read: ReadFile<{ urd: ProfileUrd; line: number | null }>): ReadFile<FileProfile> {
  if (read.kind === 'invalid') return read
  const ids = new Set<string>()
  // URDs of one profile that don't agree make several profiles, and only the first can keep the id.
  const isFirst = (id: string) => id !== '' && !ids.has(id) && ids.add(id).size > 0
  const items = profilesOfUrds(read.items).map(({ draft, first }) => ({
    id: isFirst(first.urd.profile) ? first.urd.profile : null,
    owner: first.urd.owner || null,
    profile: draft,
    line: first.line,
  }))
  return { kind: 'read', items, notes: read.notes }
}
