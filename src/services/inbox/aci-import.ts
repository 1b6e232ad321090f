import { AppError } from '../../core/errors.ts'
import type { AciImportReport, AciImportRequest } from '../../core/reports/aci-report.ts'
import type { AdoptedAnnotation, AnnotationStore } from '../../store/contracts/annotations.ts'
import type { DocumentKey } from '../../store/contracts/documents.ts'
import type { ProfileStore } from '../../store/contracts/profiles.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'
import type { Aci } from '../../xml/aci/aci.ts'
import { readAciItems } from '../../xml/aci/aci-reader.ts'
import type { XmlError } from '../../xml/xml-tokens.ts'

export type AciImportDeps = {
  annotations: Pick<AnnotationStore, 'adopt'>
  versions: Pick<VersionStore, 'document' | 'versionAt'>
  profiles: Pick<ProfileStore, 'find'>
  keyOf(url: string): DocumentKey | null
}

/** An annotation of a file that can be imported, with its line. */
export type FileAci = { aci: Aci; line: number }

/** Reads annotations in XML; returns all errors if the file is invalid. */
export function readAciFile(
  xml: string | Uint8Array,
): { kind: 'read'; items: FileAci[] } | { kind: 'invalid'; errors: XmlError[] } {
  const { items, errors } = readAciItems(xml)
  if (errors.length > 0) return { kind: 'invalid', errors }
  const wrong = items.flatMap(({ aci, line }) => problemsOf(aci).map((message) => ({ line, message })))
  return wrong.length > 0 ? { kind: 'invalid', errors: wrong.slice(0, MAX_ERRORS) } : { kind: 'read', items }
}

const MAX_ERRORS = 1000
const MAX_TIME = Date.UTC(9999, 11, 31)
const MAX_URL = 8192
const MAX_URGENCY = 100

function problemsOf({ uri, urgency, updatedAt, expiresAt, relevance, profile }: Aci): string[] {
  const found: string[] = []
  const url = uri.length <= MAX_URL && /^https?:/i.test(uri) ? URL.parse(uri) : null
  if (url === null) found.push(`<uri>: not a web address (http or https): ${JSON.stringify(uri.slice(0, 60))}`)
  if (updatedAt > MAX_TIME) found.push('<aci>: updatetime: later than the year 9999')
  if ((expiresAt ?? 0) > MAX_TIME) found.push('<expired>: time: later than the year 9999')
  if (urgency < 0 || urgency > MAX_URGENCY) found.push(`<urgency>: urgent: expected a number from 0 to ${MAX_URGENCY}`)
  if (relevance < 0) found.push('<aci>: relevance: expected a number that is not negative')
  if (profile.length > 200) found.push('<aci>: profile: more than 200 characters')
  return found
}

const PORTION = 200

/**
 * Stores annotations of another system for their owners, in batches. Importing is idempotent, so an interrupted import can simply be
 * repeated. Each annotation keeps the reference to its content unless the archive has that exact version.
 */
export async function importAcis(
  deps: AciImportDeps,
  acis: readonly Aci[],
  request: AciImportRequest,
): Promise<AciImportReport> {
  const report: AciImportReport = { added: 0, known: 0, notArchived: 0 }
  const ownerOf = createProfileOwners(deps.profiles)
  // Check all before writing anything.
  for (const { uri } of acis)
    if (deps.keyOf(uri) === null) throw new AppError('url-invalid', `${uri.slice(0, 200)} can't be fetched as it is`)
  for (let at = 0; at < acis.length; at += PORTION) {
    const portion: AdoptedAnnotation[] = []
    for (const aci of acis.slice(at, at + PORTION)) portion.push(await adoptedOf(deps, aci, ownerOf, request))
    const added = await deps.annotations.adopt(portion)
    report.added += added
    report.known += portion.length - added
    report.notArchived += portion.filter(({ version }) => version === null).length
  }
  return report
}

type ProfileOwners = (profile: string) => Promise<string | null>

function createProfileOwners(profiles: AciImportDeps['profiles']): ProfileOwners {
  const owners = new Map<string, Promise<string | null>>()
  return (id) => {
    const known = owners.get(id) ?? profiles.find(id).then((profile) => profile?.owner ?? null)
    owners.set(id, known)
    return known
  }
}

async function adoptedOf(
  { versions, keyOf }: AciImportDeps,
  aci: Aci,
  ownerOf: ProfileOwners,
  { unread }: AciImportRequest,
): Promise<AdoptedAnnotation> {
  const url = new URL(aci.uri).href
  const key = keyOf(url)!
  const version = await findVersion(versions, key, aci)
  const profileOwner = aci.profile === '' ? null : await ownerOf(aci.profile)
  const { relevance, urgency, title, format, extension, summary, explanation, expiresAt } = aci
  return {
    draft: {
      owner: aci.owner,
      // Drop the id of another owner's profile: it means nothing here.
      profile: profileOwner === null || profileOwner === aci.owner ? aci.profile : '',
      kind: aci.kind,
      at: aci.updatedAt,
      ...{ relevance, urgency, title, format, extension, summary },
      expiresAt: expiresAt ?? (aci.isExpired ? Math.max(1, aci.updatedAt) : 0),
      backlog: aci.isBacklog,
      size: aci.bytes,
      explanation: explanation === null ? {} : { relevance, ...explanation },
      docbase: version === null ? aci.docbase : '',
      changes: aci.changes,
      entry: aci.entry,
      link: aci.link,
      channel: aci.channel,
      silent: !unread,
    },
    document: { ...key, url },
    version,
    alsoAt: aci.alsoAt,
  }
}

/** The version that was current when the annotation was made, if it has the same number and size. */
async function findVersion(versions: AciImportDeps['versions'], key: DocumentKey, { docbase, updatedAt, bytes }: Aci) {
  const n = Number(/@(\d{1,9})$/.exec(docbase)?.[1] ?? 0)
  const document = n === 0 ? null : await versions.document(key)
  const found = document === null ? null : await versions.versionAt(document.id, updatedAt)
  return found?.n === n && found.size === bytes ? { id: found.id, n } : null
}
