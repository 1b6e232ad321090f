import { AppError } from '../errors.ts'

/** The head of a record: its version line and named fields. */

export class WarcHeaders {
  readonly entries: readonly (readonly [name: string, value: string])[]

  constructor(entries: readonly (readonly [string, string])[]) {
    this.entries = entries
  }

  /** The first value of this name; case-insensitive. */
  get(name: string): string | null {
    const wanted = name.toLowerCase()
    for (const [each, value] of this.entries) {
      if (each.length === wanted.length && each.toLowerCase() === wanted) return value
    }
    return null
  }

  getAll(name: string): string[] {
    const wanted = name.toLowerCase()
    return this.entries.filter(([each]) => each.toLowerCase() === wanted).map(([, value]) => value)
  }
}

export type RecordHead = { version: string; type: string; headers: WarcHeaders; blockLength: number }
export type ParsedHead = { kind: 'head'; head: RecordHead } | { kind: 'malformed'; reason: string }

/** Parses the version line and fields, without the empty line that ends them. Accepts single line feeds. */
export function parseRecordHead(bytes: Buffer): ParsedHead {
  const lines = bytes.toString('utf8').split(/\r?\n/)
  const version = /^WARC\/([01]\.\d{1,2})\s*$/.exec(lines[0]!)?.[1]
  if (version === undefined) return malformed(`no WARC version line but ${JSON.stringify(lines[0]!.slice(0, 40))}`)
  const entries = parseFields(lines, 1)
  if (entries === null) return malformed('a header line has no colon')
  const headers = new WarcHeaders(unbracketed(entries))
  const lengths = new Set(headers.getAll('Content-Length'))
  const length = lengths.size === 1 ? [...lengths][0]! : ''
  if (!/^\d{1,15}$/.test(length)) return malformed('no usable Content-Length')
  const type = headers.get('WARC-Type')?.toLowerCase() ?? ''
  if (type === '') return malformed('no WARC-Type')
  return { kind: 'head', head: { version, type, headers, blockLength: Number(length) } }
}

/** Null if a line isn't a field. A line that starts with white space continues the previous value. */
export function parseFields(lines: readonly string[], from: number): [string, string][] | null {
  const entries: [string, string[]][] = []
  for (let i = from; i < lines.length; i++) {
    const line = lines[i]!
    if (line === '') continue
    if ((line[0] === ' ' || line[0] === '\t') && entries.length > 0) {
      entries.at(-1)![1].push(line.trim())
      continue
    }
    const colon = line.indexOf(':')
    if (colon <= 0) return null
    entries.push([line.slice(0, colon).trim(), [line.slice(colon + 1).trim()]])
  }
  return entries.map(([name, values]) => [name, values.filter((value) => value !== '').join(' ')])
}

/** Old versions of wget put the target in angle brackets, which are not part of the URI. */
function unbracketed(entries: readonly [string, string][]): [string, string][] {
  return entries.map(([name, value]) => {
    const bracketed = name.toLowerCase() === 'warc-target-uri' && value.startsWith('<') && value.endsWith('>')
    return bracketed ? [name, value.slice(1, -1)] : [name, value]
  })
}

function malformed(reason: string): ParsedHead {
  return { kind: 'malformed', reason }
}

/** A record that can't be read. Everything before `offset` is intact; the records after it can't be separated any more. */
export class RecordDamage extends AppError {
  /** Where the record, or the gzip member that contains it, starts in the file. */
  readonly offset: number
  readonly reason: string

  constructor(offset: number, reason: string, cause?: unknown) {
    super('record-damaged', `record at offset ${offset}: ${reason}`, { cause })
    this.name = 'RecordDamage'
    this.offset = offset
    this.reason = reason
  }
}
