import { createSourceCover, type SourceCover } from '../preview/source-cover.ts'
import type { OwnedSource } from '../visibility/visibility.ts'

export type CoveringProfiles = {
  /** Those with a source that has the page in its scope. */
  profiles: { id: string; name: string }[]
  /** All that they ignore, each expression once. */
  ignore: string[]
}

type Covered = { cover: SourceCover; owned: ReadonlyMap<OwnedSource['source'], OwnedSource> }

/** The same list is asked for page after page: where its sources are is found out once. */
const known = new WeakMap<readonly OwnedSource[], Covered>()

export function coveringProfiles(sources: readonly OwnedSource[], url: string): CoveringProfiles {
  const { cover, owned } = known.get(sources) ?? coverOf(sources)
  const found = cover.covering(url).map((source) => owned.get(source)!)
  return {
    profiles: [...new Map(found.map(({ profile: id, name }) => [id, { id, name }])).values()],
    ignore: [...new Set(found.flatMap(({ ignore }) => ignore))],
  }
}

function coverOf(sources: readonly OwnedSource[]): Covered {
  const owned = new Map(sources.map((each) => [each.source, each]))
  const landed = new Map(sources.map((each) => [each.source.uri, each.landed || each.source.uri]))
  const covered = { cover: createSourceCover([...owned.keys()], landed), owned }
  known.set(sources, covered)
  return covered
}
