import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { AppError } from '../../core/errors.ts'

export type Passwords = {
  hash(password: string): Promise<string>
  /** For null or an invalid hash, does the same work and returns `wrong`, so that timing does not reveal known addresses. */
  verify(password: string, stored: string | null): Promise<Verdict>
  /** Hashes computed so far. */
  computed(): number
}

/** `outdated`: the right password, but hashed at a lower cost than today's. */
export type Verdict = { kind: 'right' | 'outdated' | 'wrong' }

export type PasswordsOptions = {
  cost?: HashCost
  /** Half of the runtime's thread pool (files, DNS, hashes), so that a wave of sign-ins does not block the rest. */
  maxAtOnce?: number
  /** Maximum number waiting; further sign-ins are refused. */
  maxWaiting?: number
}

/** Cost parameters of a hash. `memoryKib`, `passes` and `lanes` are what PHC strings call m, t and p. */
export type HashCost = { memoryKib: number; passes: number; lanes: number }

type StoredHash = { cost: HashCost; salt: Buffer; hash: Buffer }

/** 19 MiB and two passes: about 50 ms, and the minimum recommended by OWASP. */
export const defaultCost: HashCost = { memoryKib: 19_456, passes: 2, lanes: 1 }
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
      // The slot goes to the next in line; a newcomer can't take it.
      const next = waiting.shift()
      if (next === undefined) busy--
      else next()
    }
  }

  function compute(password: string, salt: Buffer, { memoryKib, passes, lanes }: HashCost, hashBytes: number) {
    return inTurn(() => {
      computed++
      return argon2id(password, {
        nonce: salt,
        memory: memoryKib,
        passes,
        parallelism: lanes,
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
  return used.memoryKib < wanted.memoryKib || used.passes < wanted.passes || used.lanes !== wanted.lanes
}

type Argon2Options = { nonce: Buffer; memory: number; passes: number; parallelism: number; tagLength: number }

/** Normalises the password, since keyboards compose accented letters in different ways. */
function argon2id(password: string, options: Argon2Options): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  argon2('argon2id', { message: password.normalize('NFC'), ...options }, (error, hash) => {
    if (error === null) resolve(hash)
    else reject(new AppError('internal', 'could not hash a password', { cause: error }))
  })
  return promise
}

const pattern =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

/** Anything above is a damaged hash, not a setting: computing it would stall the program. */
const limits: HashCost = { memoryKib: 1_048_576, passes: 100, lanes: 16 }

/** Formats a PHC string, the common format of argon2 tools. */
export function formatHash({ cost, salt, hash }: StoredHash): string {
  const { memoryKib, passes, lanes } = cost
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${lanes}$${unpadded(salt)}$${unpadded(hash)}`
}

/** Null if the text is not such a hash, for example if no password was set. */
export function parseHash(text: string): StoredHash | null {
  const match = pattern.exec(text)
  if (match === null) return null
  const [, m, t, p, salt, hash] = match
  const cost = { memoryKib: Number(m), passes: Number(t), lanes: Number(p) }
  if (cost.passes < 1 || cost.lanes < 1 || cost.memoryKib < 8 * cost.lanes) return null
  if (cost.memoryKib > limits.memoryKib || cost.passes > limits.passes || cost.lanes > limits.lanes) return null
  return { cost, salt: Buffer.from(salt!, 'base64'), hash: Buffer.from(hash!, 'base64') }
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
