import fc from 'fast-check'
import { anyText } from '../meta-info/meta-info.testkit.ts'
import {
  type Aci,
  type AciChange,
  type AciExplanation,
  type AciSummary,
  aciKinds,
  changeKindNames,
  pieceKindNames,
  targetNames,
} from './aci.ts'

/** Text for attributes: all that XML can hold. */
const anyName = fc.string({
  unit: fc.constantFrom(...'<>&"\'\\]u0\r\n\t \x85\u2028\ufeff\ufffdaé😀'),
  maxLength: 20,
})
const anyCount = fc.nat({ max: Number.MAX_SAFE_INTEGER })
const anyNumber = fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true })).map((value) => value + 0)

const anySummary: fc.Arbitrary<AciSummary> = fc
  .array(fc.record({ before: anyText, hit: anyText.filter((text) => text !== '') }), { maxLength: 4 })
  .chain((pieces) => anyText.map((end) => ({ pieces, end })))
  .map(({ pieces, end }) => {
    const marks: [number, number][] = []
    let text = ''
    for (const { before, hit } of pieces) {
      text += before
      marks.push([text.length, text.length + hit.length])
      text += hit
    }
    return { text: text + end, marks }
  })

const anyPlaces = fc.array(
  fc
    .record({ where: fc.constantFrom(...targetNames), change: fc.nat(), start: fc.nat(), length: fc.nat() })
    .map(({ where, change, start, length }) => ({
      where,
      ...(where === 'change' || where === 'path' ? { change } : {}),
      start,
      end: start + length,
    })),
  { maxLength: 3 },
)

const anyExplanation: fc.Arbitrary<AciExplanation> = fc.record({
  threshold: anyNumber,
  scorer: fc.constantFrom('keywords', 'bm25'),
  terms: fc.array(
    fc.record({
      key: anyName,
      weight: anyNumber,
      worth: anyNumber,
      count: anyCount,
      inTitle: anyCount,
      places: anyPlaces,
    }),
    { maxLength: 3 },
  ),
  further: fc.record({ terms: anyCount, worth: anyNumber }),
  missing: anyCount,
  exclusions: fc.array(anyName, { maxLength: 3 }),
  expression: fc.option(
    fc.record({
      source: anyName,
      parts: fc.array(
        fc.record({
          text: anyName,
          isThere: fc.boolean(),
          isNegated: fc.boolean(),
          count: anyCount,
          places: anyPlaces,
        }),
        { maxLength: 3 },
      ),
    }),
  ),
})

const anyChange: fc.Arbitrary<AciChange> = fc.record(
  {
    kind: fc.constantFrom(...changeKindNames),
    path: anyText,
    before: anyText,
    after: anyText,
    pieces: fc.array(fc.record({ kind: fc.constantFrom(...pieceKindNames), text: anyText }), {
      minLength: 1,
      maxLength: 3,
    }),
    title: anyText,
    link: anyName,
  },
  { requiredKeys: ['kind', 'path'] },
)

export const anyAci: fc.Arbitrary<Aci> = fc
  .record({
    owner: anyName,
    extension: anyName,
    format: anyName,
    relevance: anyNumber,
    updatedAt: anyCount,
    bytes: anyCount,
    uri: anyText.map((text) => text.trim()),
    urgency: anyNumber,
    docbase: anyText,
    isExpired: fc.boolean(),
    expiresAt: fc.option(anyCount),
    summary: anySummary,
    id: anyName,
    profile: anyName,
    document: anyName,
    version: anyName,
    kind: fc.constantFrom(...aciKinds),
    isBacklog: fc.boolean(),
    title: anyText,
    alsoAt: fc.array(
      anyText.map((text) => text.trim()),
      { maxLength: 3 },
    ),
    explanation: fc.option(anyExplanation),
    changes: fc.oneof(
      fc.constant({ list: [], more: 0 }),
      fc.record({ list: fc.array(anyChange, { minLength: 1, maxLength: 3 }), more: anyCount }),
    ),
    entry: anyName,
    link: anyName,
    channel: anyName,
  })
  .map((aci) => structuredClone(aci))
