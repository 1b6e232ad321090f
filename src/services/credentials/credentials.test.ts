import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { type CredentialKind, credentialKinds, readCredentialValues } from './credential-kinds.ts'
import { createCredentialsKey } from './credentials-key.ts'
import { type SecretValues, seal, unseal } from './sealing.ts'

const folder = mkdtempSync(join(tmpdir(), 'erace-key-'))
after(() => rmSync(folder, { recursive: true }))

const hex = (byte: string) => byte.repeat(32)
const keyOf = (given: string) => createCredentialsKey({ given, file: null })
const whose = { id: 'a'.repeat(24), owner: 'ann@example.org', name: 'bank' }
const locked = (error: unknown) => isAppError(error, 'credentials-locked')

describe('credentials key', () => {
  test('is created once, readable by its owner only, and the same for all readers', () => {
    const file = join(folder, 'secret.key')
    const [one, other] = [0, 1].map(() => createCredentialsKey({ given: '', file }))
    assert.throws(() => createCredentialsKey({ given: '', file }).read(), locked)
    one!.make()
    const text = readFileSync(file, 'latin1')
    other!.make()
    assert.equal(readFileSync(file, 'latin1'), text)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.deepEqual(one!.read(), other!.read())
    assert.equal(one!.read().length, 32)
    // No temporary files are left.
    assert.deepEqual(readdirSync(folder), ['secret.key'])
  })

  test('is given directly or as a file path, and an invalid one is refused without being shown', () => {
    const file = join(folder, 'given')
    writeFileSync(file, `${hex('ab')}\n`)
    assert.deepEqual(keyOf(hex('ab')).read(), keyOf(file).read())
    assert.deepEqual(keyOf(Buffer.alloc(32, 0xab).toString('base64')).read(), keyOf(file).read())
    writeFileSync(file, 'not a key')
    for (const given of [file, join(folder, 'nowhere'), ''])
      assert.throws(
        () => keyOf(given).read(),
        (error) => locked(error) && !String(error).includes('not a key'),
      )
    keyOf('').make()
    rmSync(file)
  })
})

describe('sealed credentials', () => {
  const key = keyOf(hex('01'))
  const values: SecretValues = { kind: 'password', user: 'ann', password: 'pässwörd 💡 __proto__' }

  test('survive a round trip, and are different each time', () => {
    const [one, other] = [seal(key, whose, values), seal(key, whose, values)]
    assert.deepEqual(unseal(key, whose, one), values)
    assert.notDeepEqual(one, other)
    assert.equal(one.includes('ann'), false)
    assert.equal(one.includes('pässwörd'), false)
  })

  test('cannot be opened with another key, for other credentials, or after a bit was changed', () => {
    const sealed = seal(key, whose, values)
    const wrong: [typeof key, typeof whose, Buffer][] = [
      [keyOf(hex('02')), whose, sealed],
      [key, { ...whose, owner: 'eve@example.org' }, sealed],
      [key, { ...whose, name: 'shop' }, sealed],
      [key, { ...whose, id: 'b'.repeat(24) }, sealed],
      [key, whose, sealed.subarray(0, 20)],
      [key, whose, Buffer.alloc(0)],
      ...[0, 5, 20, sealed.length - 1].map((at): [typeof key, typeof whose, Buffer] => {
        const bent = Buffer.from(sealed)
        bent[at] = bent[at]! ^ 1
        return [key, whose, bent]
      }),
    ]
    for (const [by, of, bytes] of wrong)
      assert.throws(
        () => unseal(by, of, bytes),
        (error) => locked(error) && !String(error).includes('ann"') && !String(error).includes('pässwörd'),
      )
  })
})

describe('values of credentials', () => {
  const good: Record<CredentialKind, SecretValues> = {
    password: { user: 'ann', password: ' with spaces ' },
    bearer: { token: 'abc.def' },
    header: { name: 'X-Api-Key', value: 'abc' },
    cookie: { cookie: 'a=b; c=d' },
    steps: { steps: 'go https://a.example/\nfill #user:={user}', user: 'ann', password: 'x' },
  }
  const errorsOf = (kind: CredentialKind, given: SecretValues, known: SecretValues | null = null) => {
    const read = readCredentialValues(kind, given, known)
    return read.kind === 'read' ? [] : read.errors.map(({ place, message }) => `${place}: ${message}`)
  }

  test('must fit the kind, and give a hint without secrets', () => {
    const hints = credentialKinds.map((kind) => {
      const read = readCredentialValues(kind, good[kind], null)
      assert.ok(read.kind === 'read', JSON.stringify(read))
      assert.deepEqual(read.values, good[kind])
      return read.hint
    })
    assert.deepEqual(hints, ['ann', '', 'X-Api-Key', '', 'ann'])
    assert.deepEqual(errorsOf('bearer', { ...good.password, token: 'x' }), [
      'values.user: is not part of credentials of the kind bearer',
      'values.password: is not part of credentials of the kind bearer',
    ])
    assert.deepEqual(errorsOf('password', {}), ['values.user: is missing', 'values.password: is missing'])
    assert.deepEqual(errorsOf('steps', { steps: 'click #in' }), [])
  })

  test('are refused if they are too long or contain line breaks, control or other invalid characters', () => {
    for (const bad of ['a\r\nb', 'a\nb', 'a\0', '\u007f', 'a\u2028b', '\ud800'])
      for (const kind of ['password', 'bearer', 'header', 'cookie'] as const) {
        const [last] = Object.keys(good[kind]).slice(-1) as [string]
        const errors = errorsOf(kind, { ...good[kind], [last]: bad })
        assert.deepEqual(errors, [`values.${last}: has line breaks or control characters in it`], JSON.stringify(bad))
      }
    assert.match(errorsOf('cookie', { cookie: 'a=字' }).join(), /characters that a header must not hold/)
    assert.match(errorsOf('bearer', { token: 'x'.repeat(8001) }).join(), /longer than 8000/)
    assert.match(errorsOf('steps', { steps: 'click x\n'.repeat(20) }).join(), /more than 20 lines/)
    assert.match(errorsOf('steps', { steps: 'go x\r\nclick y' }).join(), /control characters/)
    assert.match(
      errorsOf('steps', { steps: `${'click x&'.repeat(11)}\n`.repeat(2).trim() }).join(),
      /more than 20 steps/,
    )
    assert.match(errorsOf('header', { name: 'If-Range', value: 'x' }).join(), /sets itself/)
    assert.deepEqual(errorsOf('steps', { steps: 'click x\nmy-password' }), [
      'values.steps: line 2 is not a step such as go https://…, click #accept, fill #user:={user}, press Enter or wait quiet',
    ])
    for (const name of ['Host', 'content-length', 'X Y', 'a:b', ''])
      assert.equal(errorsOf('header', { name, value: 'x' }).length, 1, name)
  })

  test('keep their previous values if omitted', () => {
    assert.deepEqual(errorsOf('password', { user: 'bob' }, good.password), [])
    const read = readCredentialValues('password', { user: 'bob' }, good.password)
    assert.deepEqual(read.kind === 'read' && read.values, { user: 'bob', password: ' with spaces ' })
    assert.deepEqual(errorsOf('password', { password: '' }, good.password), ['values.password: is missing'])
  })
})
