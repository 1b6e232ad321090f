import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDocuments } from './documents.ts'
import { heldOutEdits, moreEdits } from './held-out.ts'
import { noiseEdits, wantedEdits } from './kinds.ts'
import { measure, sum } from './measure.ts'
import { phrasedEdits } from './phrasings.ts'

const all = [...noiseEdits, ...wantedEdits, ...moreEdits, ...heldOutEdits, ...phrasedEdits]
const results = all.map((kind) => measure(kind, readDocuments(1)))

test('reports every wanted edit, at any check', () => {
  for (const { kind, all } of results) if (kind.isWanted) assert.equal(all.told, all.of, kind.name)
})

test('reports at most one in twenty noise edits after the third check', () => {
  const { told, of } = sum(results.map(({ late }) => late))
  assert.ok(told / of <= 0.05, `${told} of ${of}`)
})
