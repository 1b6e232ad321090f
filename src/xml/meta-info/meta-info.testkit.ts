import fc from 'fast-check'
import { bodyStates, type MetaDocument, type MetaVersion, versionReasons } from './meta-info.ts'

/** Texts as servers send them: markup, all kinds of white space, characters that XML can't hold, unpaired surrogates. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({
    unit: fc.constantFrom(...'<>&"\'\\]u0\r\n\t \0\x1f\x85\u2028\ufeff\ufffe\uffff\ud800\udfffaé😀'),
    maxLength: 30,
  }),
)

const anyTime = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) })
const anyCount = fc.nat({ max: Number.MAX_SAFE_INTEGER })

export const anyVersion: fc.Arbitrary<MetaVersion> = fc.record(
  {
    number: anyCount,
    reason: fc.constantFrom(...versionReasons),
    body: fc.constantFrom(...bodyStates),
    firstSeen: anyTime,
    lastSeen: anyTime,
    status: fc.integer(),
    bytes: anyCount,
    ip: anyText,
    type: anyText,
    digest: anyText,
    textDigest: anyText,
    etag: anyText,
    lastModified: anyText,
    truncated: anyText,
    location: anyText,
    title: anyText,
    header: fc.option(anyText),
    links: fc.option(fc.array(anyText, { maxLength: 5 })),
  },
  { noNullPrototype: true },
)

export const anyDocument: fc.Arbitrary<MetaDocument> = fc.record(
  {
    url: anyText,
    ip: anyText,
    kbytes: fc.option(anyCount),
    ifModifiedSince: fc.option(fc.integer()),
    header: anyText,
    links: fc.array(anyText, { maxLength: 5 }),
    parent: anyText,
    outcome: anyText,
    location: anyText,
    firstSeen: fc.option(anyTime),
    lastChecked: fc.option(anyTime),
    status: fc.option(fc.integer()),
    current: fc.option(anyCount),
    versions: fc.array(anyVersion, { maxLength: 3 }),
  },
  { noNullPrototype: true },
)

export async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}
