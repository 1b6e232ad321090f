import assert from 'node:assert/strict'
import { argon2Sync, randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { cheapCost } from './accounts.testkit.ts'
import { createPasswords, defaultCost, formatHash, parseHash } from './passwords.ts'

describe('passwords', () => {
  test('are kept as argon2id in the form that other tools read', async () => {
    const stored = await createPasswords().hash('correct horse')
    assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    const { salt, hash } = parseHash(stored)!
    const own = argon2Sync('argon2id', {
      message: 'correct horse',
      nonce: salt,
      memory: 19_456,
      passes: 2,
      parallelism: 1,
      tagLength: 32,
    })
    assert.deepEqual(own, hash)
  })

  test('are right or wrong, and two hashes of one are never the same', async () => {
    const passwords = createPasswords({ cost: cheapCost })
    const stored = await passwords.hash('correct horse')
    assert.notEqual(stored, await passwords.hash('correct horse'))
    assert.deepEqual(await passwords.verify('correct horse', stored), { kind: 'right' })
    assert.deepEqual(await passwords.verify('Correct horse', stored), { kind: 'wrong' })
    assert.deepEqual(await passwords.verify('', stored), { kind: 'wrong' })
  })

  test('are verified with the cost they were hashed with, which may be outdated', async () => {
    const stored = await createPasswords({ cost: cheapCost }).hash('correct horse')
    const stronger = createPasswords({ cost: { ...cheapCost, passes: 2 } })
    assert.deepEqual(await stronger.verify('correct horse', stored), { kind: 'outdated' })
    assert.deepEqual(await stronger.verify('wrong', stored), { kind: 'wrong' })
  })

  test('are the same however a keyboard composes an accent', async () => {
    const passwords = createPasswords({ cost: cheapCost })
    assert.deepEqual(await passwords.verify('cafe\u0301 au lait', await passwords.hash('caf\u00e9 au lait')), {
      kind: 'right',
    })
  })

  test('cost the same work where there is nothing to compare with', async () => {
    const passwords = createPasswords({ cost: cheapCost })
    for (const stored of [null, '', 'none', '$argon2id$v=19$m=4294967295,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA']) {
      const before = passwords.computed()
      assert.deepEqual(await passwords.verify('anything', stored), { kind: 'wrong' })
      assert.equal(passwords.computed(), before + 1)
    }
  })

  test('are hashed a few at a time, and refused when too many wait', async () => {
    const passwords = createPasswords({ cost: cheapCost, maxAtOnce: 1, maxWaiting: 2 })
    const settled = await Promise.allSettled(Array.from({ length: 5 }, () => passwords.hash('correct horse')))
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
    )
    const refused = settled[4] as PromiseRejectedResult
    assert.ok(isAppError(refused.reason, 'rate-limited'))
    assert.match(await passwords.hash('later'), /^\$argon2id/)
  })
})

describe('the stored form of a password', () => {
  test('is read back as it was written', () => {
    const stored = { cost: defaultCost, salt: randomBytes(16), hash: randomBytes(32) }
    assert.deepEqual(parseHash(formatHash(stored)), stored)
  })

  test('is refused where it asks for more than a machine has, or is something else', () => {
    const salt = 'AAAAAAAAAAAAAAAAAAAAAA'
    const hash = `${salt}${salt}`
    assert.notEqual(parseHash(`$argon2id$v=19$m=64,t=1,p=1$${salt}$${hash}`), null)
    for (const wrong of [
      `$argon2id$v=19$m=9999999,t=1,p=1$${salt}$${hash}`,
      `$argon2id$v=19$m=64,t=999,p=1$${salt}$${hash}`,
      `$argon2id$v=19$m=4,t=1,p=1$${salt}$${hash}`,
      `$argon2id$v=19$m=64,t=0,p=1$${salt}$${hash}`,
      `$argon2i$v=19$m=64,t=1,p=1$${salt}$${hash}`,
      `$2b$12$${salt}`,
      '',
    ])
      assert.equal(parseHash(wrong), null, wrong)
  })
})
