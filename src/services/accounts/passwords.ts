import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import { formatHash, type HashCost, parseHash } from './password-form.ts'

export type Passwords = {
  hash(password: string): Promise<string>
  /** With null, or a text that is no hash, the same work is done and the answer is no: nobody learns which addresses are known. */
  verify(password: string, stored: string | null): Promise<Verdict>
  /** Hashes computed so far. */
  computed(): number
}

/** `outdated`: the right password, but hashed with less than is spent today. */
export type Verdict = { kind: 'right' | 'outdated' | 'wrong' }

export type PasswordsOptions = {
  cost?: HashCost
  /** Half of the threads that the runtime has for files, names and hashes, so that no wave of sign-ins holds up the rest. */
  maxAtOnce?: number
  /** Who comes when so many wait is sent away. */
  maxWaiting?: number
}

/** 19 MiB and two passes: about 50 ms, and what OWASP asks for at least. */
export const defaultCost: HashCost = { memoryKib: 19_456, passes: 2, queues: 1 }
const SALT_BYTES = 16
const HASH_BYTES = 32

export function createPasswords(options: PasswordsOptions = {}): Passwords {
  const { cost = defaultCost, maxAtOnce = 2, maxWaiting = 200 } = options
  const waiting: (() => void)[] = []
  let busy = 0
  let computed = 0

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (busy >= maxAtOnce) {
      if (waiting.length >= maxWaiting)
        throw new AppError('rate-limited', 'too many sign-ins right now; try again in a few seconds')
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      await promise
    } else busy++
    try {
      return await work()
    } finally {
      // The place is handed on as it is: nobody who comes meanwhile takes it.
      const next = waiting.shift()
      if (next === undefined) busy--
      else next()
    }
  }

  function compute(password: string, salt: Buffer, { memoryKib, passes, queues }: HashCost, hashBytes: number) {
    return inTurn(() => {
      computed++
      return argon2id(password, {
        nonce: salt,
        memory: memoryKib,
        passes,
        parallelism: queues,
        tagLength: hashBytes,
      })
    })
  }

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES)
      return formatHash({ cost, salt, hash: await compute(password, salt, cost, HASH_BYTES) })
    },
    async verify(password, stored) {
      const known = stored === null ? null : parseHash(stored)
      if (known === null) {
        await compute(password, randomBytes(SALT_BYTES), cost, HASH_BYTES)
        return { kind: 'wrong' }
      }
      const own = await compute(password, known.salt, known.cost, known.hash.length)
      if (!timingSafeEqual(own, known.hash)) return { kind: 'wrong' }
      return { kind: isOutdated(known.cost, cost) ? 'outdated' : 'right' }
    },
    computed: () => computed,
  }
}

function isOutdated(used: HashCost, wanted: HashCost): boolean {
  return used.memoryKib < wanted.memoryKib || used.passes < wanted.passes || used.queues !== wanted.queues
}

type Argon2Options = { nonce: Buffer; memory: number; passes: number; parallelism: number; tagLength: number }

/** Letters with accents are the same password however a keyboard composes them. */
function argon2id(password: string, options: Argon2Options): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  argon2('argon2id', { message: password.normalize('NFC'), ...options }, (error, hash) => {
    if (error === null) resolve(hash)
    else reject(new AppError('internal', 'could not hash a password', { cause: error }))
  })
  return promise
}
