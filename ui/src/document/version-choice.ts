import type { Version } from '../api/types.ts'
import { setQuery, useQuery } from '../url/query-state.ts'

/** Which versions are looked at: numbers in the address, or the last one and the one before it. */
export type VersionChoice = {
  from: Version | null
  to: Version | null
  choose(changes: { from?: Version; to?: Version }): void
  /** To the version before or behind, compared with the one before that. */
  step(by: -1 | 1): void
}

export function useVersionChoice(versions: readonly Version[]): VersionChoice {
  const query = useQuery()
  const to = chosenTo(versions, query)
  const asked = Number(query.get('from'))
  const from = versions.find(({ n }) => n === asked) ?? before(versions, to)
  return {
    from,
    to,
    choose: (changes) => setQuery({ version: null, from: numberOf(changes.from), to: numberOf(changes.to ?? to) }),
    step(by) {
      const next = to === null ? null : versions[versions.indexOf(to) + by]
      if (next) setQuery({ version: null, from: null, to: String(next.n) }, { replace: true })
    },
  }
}

function chosenTo(versions: readonly Version[], query: URLSearchParams): Version | null {
  const n = Number(query.get('to'))
  const id = Number(query.get('version'))
  return versions.find((version) => version.n === n || version.id === id) ?? versions.at(-1) ?? null
}

function before(versions: readonly Version[], to: Version | null): Version | null {
  return to === null ? null : (versions[versions.indexOf(to) - 1] ?? null)
}

const numberOf = (version: Version | null | undefined): string | null => (version ? String(version.n) : null)
