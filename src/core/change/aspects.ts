import { createRequire } from 'node:module'
import type { Aspect } from '../profile.ts'
import { readSource } from '../text/text-source.ts'
import type { Change } from './change.ts'
import type { AspectValue } from './page-aspects.ts'

/** A response. */
export type Answer = {
  readonly body: Uint8Array
  readonly contentType: string | undefined
  readonly url: string
  readonly status: number
  /** Status line and header fields, each ending in CRLF. */
  readonly header: string
}

/** Headers that describe the page. Others change with every request, like dates and cookies. */
const headerNames = ['content-type', 'content-language', 'content-disposition', 'location']
const ofPages = ['links', 'images', 'description', 'data'] as const
const maxValues = 2000

type Page = typeof import('./page-aspects.ts')
let loaded: Page | null = null

/** Loaded on first use: the parser takes memory in each thread. */
function pages(): Page {
  loaded ??= createRequire(import.meta.url)(import.meta.url.replace(/.*\/aspects/, './page-aspects')) as Page
  return loaded
}

const documentLink =
  /(?:href\s*=\s*["']?[^"'\s>]*\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|csv|tsv|epub|mobi|ps|tex|txt|zip|t?gz|bz2|xz|7z|rar|tar|exe|msi|dmg|pkg|deb|rpm|apk|iso|img|jar|ics|xml|json|mp[34])\b[^"'\s>]*|<a\b[^>]{0,2000}\sdownload\b[^>]{0,2000}>)/gi

/** Whether the document links of two pages may differ. Far cheaper than parsing, for the many pages that have none. */
export function mayDiffer(old: Uint8Array, next: Uint8Array): boolean {
  const linksOf = (body: Uint8Array): string =>
    (Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1').match(documentLink) ?? [])
      .sort()
      .join('\n')
  return linksOf(old) !== linksOf(next)
}

/** The values of these aspects, in page order. */
export function readAspects(answer: Answer, asked: readonly Aspect[]): AspectValue[] {
  const values: AspectValue[] = []
  const wanted = ofPages.filter((aspect) => asked.includes(aspect))
  if (wanted.length > 0) {
    const source = readSource(answer.body, answer.contentType)
    const kind = source?.kind
    if (source !== null && (kind === 'html' || kind === 'xhtml'))
      values.push(...pages().readPageAspects(source.page.toString('utf8'), answer.url, wanted))
  }
  if (asked.includes('status')) values.push({ aspect: 'status', name: '', value: String(answer.status) })
  if (asked.includes('headers'))
    for (const line of answer.header.split('\r\n').slice(1)) {
      const name = line
        .slice(0, Math.max(0, line.indexOf(':')))
        .trim()
        .toLowerCase()
      const value = line.slice(line.indexOf(':') + 1).trim()
      if (headerNames.includes(name)) values.push({ aspect: 'headers', name, value: value.replace(/; */g, '; ') })
    }
  return values.slice(0, maxValues)
}

const words: Record<AspectValue['aspect'], string> = {
  links: 'Link',
  images: 'Image',
  description: 'Description',
  data: 'Data',
  status: 'Status',
  headers: 'Header',
}

/** The differences between two lists, as readable changes. Values of the same name are paired in order. */
export function aspectChanges(old: readonly AspectValue[], next: readonly AspectValue[]): Change[] {
  const nameOf = ({ aspect, name }: AspectValue): string => `${aspect} ${name}`
  const before = Map.groupBy(old, nameOf)
  const changes: Change[] = []
  for (const [name, values] of Map.groupBy(next, nameOf)) {
    const { left: removed, right: added } = unequal(before.get(name) ?? [], values)
    before.delete(name)
    for (let at = 0; at < Math.max(removed.length, added.length); at++) changes.push(changeOf(removed[at], added[at]))
  }
  for (const values of before.values()) for (const value of values) changes.push(changeOf(value, undefined))
  return changes
}

/** Drops the values that both sides have, regardless of position. */
function unequal(left: readonly AspectValue[], right: readonly AspectValue[]) {
  const counts = new Map<string, number>()
  for (const { value } of left) counts.set(value, (counts.get(value) ?? 0) + 1)
  const added = right.filter(({ value }) => {
    const n = counts.get(value) ?? 0
    if (n > 0) counts.set(value, n - 1)
    return n === 0
  })
  const removed = left.filter(({ value }) => {
    const n = counts.get(value) ?? 0
    if (n > 0) counts.set(value, n - 1)
    return n > 0
  })
  return { left: removed, right: added }
}

function changeOf(old: AspectValue | undefined, next: AspectValue | undefined): Change {
  const { aspect, name } = (next ?? old)!
  const label = name === '' ? '' : `${name}: `
  const isSameFile = old !== undefined && next !== undefined && shown(old) === shown(next)
  const before = old === undefined ? undefined : isSameFile ? old.value : shown(old)
  const after = next === undefined ? undefined : isSameFile ? next.value : shown(next)
  const place = { block: 'paragraph', path: words[aspect], place: `@${aspect}`, key: name, from: -1, to: -1 } as const
  if (before === undefined) return { kind: 'added', ...place, after: label + after }
  if (after === undefined) return { kind: 'removed', ...place, before: label + before }
  const pieces = [
    ...(label === '' ? [] : [{ kind: 'same' as const, text: label }]),
    { kind: 'removed' as const, text: before },
    { kind: 'added' as const, text: after },
  ]
  return { kind: 'changed', ...place, before: label + before, after: label + after, pieces }
}

/** For addresses, the name of the file is what people read. */
function shown({ aspect, value }: AspectValue): string {
  if (aspect !== 'links' && aspect !== 'images') return value
  const path = value.replace(/\?.*$/, '')
  const name = path.slice(path.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(name) || value
  } catch {
    return name || value
  }
}
