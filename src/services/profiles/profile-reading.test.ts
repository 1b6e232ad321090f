import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configOf } from '../../config/load-config.ts'
import { writeProfile } from '../../xml/profile/profile.ts'
import { createProfileReading } from './profile-reading.ts'
import { webAbilities } from './protocols.ts'

const config = configOf()
const uri = 'https://example.org/'
/** Sources whose expressions take long to build. */
const heavy = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ uri: `${uri}${n}`, scope: `${'.?'.repeat(400)}${n}` }))

test('a profile is read in the same way directly and in the thread', async () => {
  const reading = createProfileReading({ config, abilities: webAbilities })
  const plain = await reading.read(
    { form: 'json', value: { name: 'x', sources: [{ uri }] } },
    { channels: ['inbox'], credentials: [] },
  )
  assert.equal(plain.kind, 'read')
  const value = { name: 'x', sources: [{ uri, scope: 'a|b' }] }
  const read = await reading.read({ form: 'json', value }, { channels: ['inbox'], credentials: [] })
  assert.ok(read.kind === 'read')
  assert.deepEqual(read.draft.sources[0]!.scope, { kind: 'pattern', source: 'a|b' })
  const xml = Buffer.from(writeProfile({ ...read.draft, id: 'p', owner: '' }))
  assert.deepEqual(await reading.read({ form: 'xml', xml }, { channels: ['inbox'], credentials: [] }), {
    ...read,
    id: 'p',
  })
  const wrong = await reading.read(
    { form: 'json', value: { sources: [{ uri, scope: '(' }] } },
    { channels: ['inbox'], credentials: [] },
  )
  assert.deepEqual(wrong.kind === 'invalid' && wrong.errors.map(({ place }) => place), ['sources[0].scope'])
})

test('channels are checked against the given list, directly and in the thread', async () => {
  const reading = createProfileReading({ config, abilities: webAbilities })
  for (const scope of ['host', 'a|b']) {
    const value = { sources: [{ uri, scope }], delivery: { channels: ['inbox', 'c_7'] } }
    assert.equal(
      (await reading.read({ form: 'json', value }, { channels: ['inbox', 'c_7'], credentials: [] })).kind,
      'read',
    )
    const read = await reading.read({ form: 'json', value }, { channels: ['inbox', 'c_8'], credentials: [] })
    assert.deepEqual(read.kind === 'invalid' && read.errors, [
      { place: 'delivery.channels[1]', message: 'unknown channel "c_7"; expected inbox or c_8' },
    ])
  }
})

test('a profile that takes too long to read is refused, and the next one is read', async () => {
  const reading = createProfileReading({ config, abilities: webAbilities }, { timeLimitMs: 1000 })
  const long = await reading.read(
    { form: 'json', value: { name: 'x', sources: heavy(1000) } },
    { channels: ['inbox'], credentials: [] },
  )
  assert.match(long.kind === 'invalid' ? long.errors[0]!.message : '', /took more than 1000 ms/)
  const next = await reading.read(
    { form: 'json', value: { sources: [{ uri, scope: 'a|b' }] } },
    { channels: ['inbox'], credentials: [] },
  )
  assert.equal(next.kind, 'read')
})

test('profiles are refused if too many are waiting', async () => {
  const reading = createProfileReading({ config, abilities: webAbilities }, { maxWaiting: 1 })
  const value = { sources: [{ uri, scope: 'a|b' }] }
  const [first, second] = await Promise.all(
    [1, 2].map(() => reading.read({ form: 'json', value }, { channels: ['inbox'], credentials: [] })),
  )
  assert.deepEqual([first!.kind, second!.kind], ['read', 'invalid'])
})

test('a deeply nested value is invalid', async () => {
  const reading = createProfileReading({ config, abilities: webAbilities })
  const value = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  assert.equal((await reading.read({ form: 'json', value }, { channels: ['inbox'], credentials: [] })).kind, 'invalid')
})
