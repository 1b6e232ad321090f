/** What a password was hashed with. `memoryKib`, `passes` and `lanes` are what PHC strings call m, t and p. */
export type HashCost = { memoryKib: number; passes: number; queues: number }

export type StoredHash = { cost: HashCost; salt: Buffer; hash: Buffer }

const pattern =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

/** More than this is damage, not a wish: it would stop the program. */
const limits: HashCost = { memoryKib: 1_048_576, passes: 100, queues: 16 }

/** The form that all tools for argon2 read and write. */
export function formatHash({ cost, salt, hash }: StoredHash): string {
  const { memoryKib, passes, queues } = cost
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${queues}$${unpadded(salt)}$${unpadded(hash)}`
}

/** Null where the text is no such hash, as where no password was ever set. */
export function parseHash(text: string): StoredHash | null {
  const match = pattern.exec(text)
  if (match === null) return null
  const [, m, t, p, salt, hash] = match
  const cost = { memoryKib: Number(m), passes: Number(t), queues: Number(p) }
  if (cost.passes < 1 || cost.queues < 1 || cost.memoryKib < 8 * cost.queues) return null
  if (cost.memoryKib > limits.memoryKib || cost.passes > limits.passes || cost.queues > limits.queues) return null
  return { cost, salt: Buffer.from(salt!, 'base64'), hash: Buffer.from(hash!, 'base64') }
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
