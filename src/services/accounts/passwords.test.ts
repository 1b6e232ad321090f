import assert from 'node:assert/strict'
import { argon2Sync, randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { cheapCost } from './accounts.testkit.ts'
import { createPasswords, defaultCost, formatHash, parseHash } from './passwords.ts'

describe('passwords', () => {
  test('are stored as argon2id in the standard format', async () => {
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

  test('are verified, and hashing one twice gives different hashes', async () => {
    const passwords = createPasswords({ cost: cheapCost })
    const stored = await passwords.hash('correct horse')
    assert.notEqual(stored, await passwords.hash('correct horse'))
    assert.deepEqual(await passwords.verify('correct horse', stored), { kind: 'right' })
    assert.deepEqual(await passwords.verify('Correct horse', stored), { kind: 'wrong' })
    assert.deepEqual(await passwords.verify('', stored), { kind: 'wrong' })
  })

  test('are verified with the cost they were hashed with, and reported if it is outdated', async () => {
    const stored = await createPasswords({ cost: cheapCost }).hash('correct horse')
    const stronger = createPasswords({ cost: { ...cheapCost, passes: 2 } })
    assert.deepEqual(await stronger.verify('correct horse', stored), { kind: 'outdated' })
    assert.deepEqual(await stronger.verify('wrong', stored), { kind: 'wrong' })
  })

  test('match in any Unicode normalisation form', async () => {
    const passwords = createPasswords({ cost: cheapCost })
    assert.deepEqual(await passwords.verify('cafe\u0301 au lait', await passwords.hash('caf\u00e9 au lait')), {
      kind: 'right',
    })
  })

  test('take the same work to verify if there is no usable hash', async () => {
    const passwords = createPasswords({ cost: cheapCost })
    for (const stored of [null, '', 'none', '$argon2id$v=19$m=4294967295,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA']) {
      const before = passwords.computed()
      assert.deepEqual(await passwords.verify('anything', stored), { kind: 'wrong' })
      assert.equal(passwords.computed(), before + 1)
    }
  })

  test('are hashed a few at a time, and refused if too many are waiting', async () => {
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

describe('stored form of a password', () => {
  test('survives a round trip', () => {
    const stored = { cost: defaultCost, salt: randomBytes(16), hash: randomBytes(32) }
    assert.deepEqual(parseHash(formatHash(stored)), stored)
  })

  test('is refused if its cost is out of range or the format is different', () => {
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
