import type { Tenure } from '../frontier/partition-lease.ts'

/**
 * What waits to be kept, a pile for each tenure, since a write is about one partition. A pile is
 * - empty;
 * - growing: until it is large enough, or its first item has waited long enough;
 * - due: in the line of those that are kept next;
 * - being kept: what comes meanwhile grows beside it.
 */
export type Piles<T> = {
  add(tenure: Tenure, item: T): void
  /** Does not wait for more, neither now nor with what is still added to a tenure that ends. */
  hurry(tenure: Tenure): void
  /** Keeps everything that was added, now. */
  flush(): Promise<void>
  /** The items that are being kept are: they are not listed any more. */
  kept(tenure: Tenure): void
  /** What waits or is being kept. */
  all(tenure: Tenure): T[]
  size(): number
  bytes(): number
}

export type PilesOptions<T> = {
  maxItems: number
  maxBytes: number
  maxWaitMs: number
  /** The more piles grow, the longer each of them waits: by so much for each of the others. None unless told. */
  waitMsForEach?: number
  /** So many piles are kept at a time; 1 unless told. */
  parallel?: number
  bytesOf(item: T): number
  /** Never rejects. */
  keep(items: T[], tenure: Tenure): Promise<void>
}

type Pile<T> = {
  tenure: Tenure
  state: 'empty' | 'growing' | 'due' | 'kept'
  items: T[]
  bytes: number
  keeping: T[]
  /** When it need not wait for more any longer. */
  dueAt: number
}

export function createPiles<T>(options: PilesOptions<T>): Piles<T> {
  const { maxItems, maxBytes, maxWaitMs, waitMsForEach = 0, parallel = 1, bytesOf, keep } = options
  const piles = new Map<Tenure, Pile<T>>()
  /** Growing ones in the order in which they come due; an entry whose time is not that of its pile is out of date. */
  let growing: { pile: Pile<T>; dueAt: number }[] = []
  const due: Pile<T>[] = []
  const running = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | null = null
  let bytes = 0

  function pileOf(tenure: Tenure): Pile<T> {
    const known = piles.get(tenure)
    if (known !== undefined) return known
    const pile: Pile<T> = { tenure, state: 'empty', items: [], bytes: 0, keeping: [], dueAt: 0 }
    piles.set(tenure, pile)
    return pile
  }

  /** Sees to a pile that is empty or growing. */
  function grow(pile: Pile<T>): void {
    if (pile.items.length === 0) {
      pile.state = 'empty'
      if (pile.tenure.state === 'over') piles.delete(pile.tenure)
    } else if (pile.items.length >= maxItems || pile.bytes >= maxBytes || pile.tenure.state !== 'held') {
      pile.state = 'due'
      due.push(pile)
      startDue()
    } else if (pile.state !== 'growing') {
      pile.state = 'growing'
      const waitMs = maxWaitMs + waitMsForEach * growing.length
      // Those that began to wait before come due before.
      pile.dueAt = Math.max(growing.at(-1)?.dueAt ?? 0, performance.now() + waitMs)
      growing.push({ pile, dueAt: pile.dueAt })
      timer ??= setTimeout(ripen, waitMs)
    }
  }

  function isGrowing({ pile, dueAt }: { pile: Pile<T>; dueAt: number }): boolean {
    return pile.state === 'growing' && pile.dueAt === dueAt
  }

  function ripen(): void {
    timer = null
    // Timers may come a moment early.
    const now = performance.now() + 1
    const at = growing.findIndex((each) => isGrowing(each) && each.dueAt > now)
    const ripe = at < 0 ? growing : growing.slice(0, at)
    growing = at < 0 ? [] : growing.slice(at)
    for (const each of ripe) {
      if (!isGrowing(each)) continue
      each.pile.state = 'due'
      due.push(each.pile)
    }
    const next = growing[0]
    if (next !== undefined) timer = setTimeout(ripen, Math.max(1, next.dueAt - now))
    startDue()
  }

  function startDue(): void {
    if (timer !== null && !growing.some(isGrowing)) {
      clearTimeout(timer)
      timer = null
      growing = []
    }
    while (running.size < parallel && due.length > 0) start(due.shift()!)
  }

  function start(pile: Pile<T>): void {
    const keptBytes = pile.bytes
    pile.state = 'kept'
    pile.keeping = pile.items
    pile.items = []
    pile.bytes = 0
    const run = keep(pile.keeping, pile.tenure).finally(() => {
      pile.keeping = []
      bytes -= keptBytes
      running.delete(run)
      grow(pile)
      startDue()
    })
    running.add(run)
  }

  function hurry(pile: Pile<T>): void {
    if (pile.state !== 'growing') return
    pile.state = 'due'
    due.push(pile)
  }

  return {
    add(tenure, item) {
      const pile = pileOf(tenure)
      pile.items.push(item)
      const size = bytesOf(item)
      pile.bytes += size
      bytes += size
      if (pile.state === 'empty' || pile.state === 'growing') grow(pile)
    },
    hurry(tenure) {
      const pile = piles.get(tenure)
      if (pile === undefined) return
      hurry(pile)
      startDue()
    },
    async flush() {
      for (;;) {
        for (const pile of piles.values()) hurry(pile)
        startDue()
        if (running.size === 0) return
        await Promise.race(running)
      }
    },
    kept(tenure) {
      const pile = piles.get(tenure)
      if (pile !== undefined) pile.keeping = []
    },
    all(tenure) {
      const pile = piles.get(tenure)
      return pile === undefined ? [] : [...pile.keeping, ...pile.items]
    },
    size() {
      let size = 0
      for (const { items } of piles.values()) size += items.length
      return size
    },
    bytes: () => bytes,
  }
}
