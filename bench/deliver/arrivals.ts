import type { StoredMessage } from '../../src/store/contracts/deliveries.ts'
import type { StoreSet } from '../../src/store/contracts/store-set.ts'
import type { Received } from './sink-process.ts'
import type { User } from './users.ts'

/** Annotations and messages that arrived more than once, or never. */
export type Faults = { twice: number; lost: number }

const PAGE = 500

/** Compares the expected messages with the store's log and with those received. */
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
    // Messages without an id can only be counted.
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

/** Counts duplicates in `got`, and expected values missing from it. */
function compare<T>(expected: readonly T[], got: readonly T[], faults: Faults): void {
  const met = new Set(got)
  faults.twice += got.length - met.size
  faults.lost += expected.filter((each) => !met.has(each)).length
}

/** The index of each text among the distinct texts, in order of first occurrence. */
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
