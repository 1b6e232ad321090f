import { type DroppedLink, type DroppedLinks, maxDroppedExamples } from '../contracts/dropped-links.ts'

export type KeptDrops = { run: number; count: number; examples: readonly DroppedLink[] }

/** Adds dropped links to the stored ones of a host and rule: the count of one run, and its first examples. */
export function mergeDrops(kept: KeptDrops | null, run: number, { count, examples }: DroppedLinks): KeptDrops {
  const before = kept?.run === run ? kept : { count: 0, examples: [] }
  const known = new Set(before.examples.map(({ url }) => url))
  const fresh = examples.filter(({ url }) => !known.has(url))
  return { run, count: before.count + count, examples: [...before.examples, ...fresh].slice(0, maxDroppedExamples) }
}

/** Groups the drops of several pages by host and rule, so that each row is written once. */
export function groupDrops(drops: readonly DroppedLinks[]): DroppedLinks[] {
  const groups = new Map<string, DroppedLinks>()
  for (const drop of drops) {
    const name = `${drop.rule} ${drop.host}`
    const group = groups.get(name)
    if (group === undefined) groups.set(name, drop)
    else groups.set(name, { ...group, ...mergeDrops({ run: 0, ...group }, 0, drop) })
  }
  return [...groups.values()].map(({ host, rule, count, examples }) => ({ host, rule, count, examples }))
}
