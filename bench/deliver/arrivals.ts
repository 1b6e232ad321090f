import type { StoredMessage } from '../../src/store/contracts/deliveries.ts'
import type { StoreSet } from '../../src/store/contracts/store-set.ts'
import type { Received } from './sink-process.ts'
import type { User } from './users.ts'

/** Annotations and messages that arrived more than once, or never. */
export type Faults = { twice: number; lost: number }

const PAGE = 500

/** Compares what should have arrived with the log of the store and with what the receivers got. */
export async function findFaults(
  { deliveries }: Pick<StoreSet, 'deliveries'>,
  users: readonly User[],
  arrived: ReadonlyMap<string, Received>,
): Promise<Faults> {
  const faults: Faults = { twice: 0, lost: 0 }
  for (const user of users) {
    const sent = (await logOf(deliveries, user.email)).filter(({ state }) => state === 'sent')
    compare(
      user.annotations,
      sent.flatMap(({ annotations }) => annotations),
      faults,
    )
    const { ids, annotations } = arrived.get(user.channel) ?? { ids: [], annotations: [] }
    // Of those without an id of their own only the number can be compared.
    if (user.agent.kind === 'ntfy') compare([...sent.keys()], [...positions(ids)], faults)
    else
      compare(
        sent.map(({ id }) => id),
        ids,
        faults,
      )
    if (user.agent.kind === 'webhook') compare(user.annotations, annotations, faults)
  }
  return faults
}

/** Counts what is in `got` more than once, and what it lacks. */
function compare<T>(expected: readonly T[], got: readonly T[], faults: Faults): void {
  const met = new Set(got)
  faults.twice += got.length - met.size
  faults.lost += expected.filter((each) => !met.has(each)).length
}

/** Each text by the place of its first occurrence among all that differ. */
function* positions(texts: readonly string[]): Generator<number> {
  const known = new Map<string, number>()
  for (const text of texts) {
    const place = known.get(text) ?? known.size
    known.set(text, place)
    yield place
  }
}

async function logOf(deliveries: StoreSet['deliveries'], owner: string): Promise<StoredMessage[]> {
  const all: StoredMessage[] = []
  for (;;) {
    const last = all.at(-1)
    const before = last === undefined ? null : { createdAt: last.createdAt, id: last.id }
    const page = await deliveries.messages(owner, {}, { before, limit: PAGE })
    all.push(...page)
    if (page.length < PAGE) return all
  }
}
