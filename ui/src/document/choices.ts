import type { Version } from '../api/types.ts'
import { setQuery, useQuery } from '../url/query-state.ts'

/** The selected versions: by number in the URL, or the last one and the one before it. */
export type VersionChoice = {
  from: Version | null
  to: Version | null
  choose(changes: { from?: Version; to?: Version }): void
  /** To the previous or next version, compared with the one before it. */
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

export const diffForms = ['changes', 'words', 'lines'] as const
export type DiffForm = (typeof diffForms)[number]

/** How two versions are compared, kept in the URL so that it can be shared. */
export type DiffChoice = {
  form: DiffForm
  /** The whole text, not only the lines around a change. */
  isWhole: boolean
  isRaw: boolean
  ignoresSpace: boolean
  /** Includes text that the user's profiles ignore. */
  showsIgnored: boolean
  hides: Record<(typeof kinds)[number], boolean>
}

export const kinds = ['added', 'removed', 'replaced', 'moved'] as const

export function useDiffChoice(): [DiffChoice, (changes: Partial<DiffChoice>) => void] {
  const query = useQuery()
  const hidden = new Set((query.get('hide') ?? '').split(','))
  const choice: DiffChoice = {
    form: diffForms.find((form) => form === query.get('form')) ?? 'changes',
    isWhole: query.get('whole') === '1',
    isRaw: query.get('raw') === '1',
    ignoresSpace: query.get('space') === '1',
    showsIgnored: query.get('ignored') === 'show',
    hides: {
      added: hidden.has('added'),
      removed: hidden.has('removed'),
      replaced: hidden.has('replaced'),
      moved: hidden.has('moved'),
    },
  }
  return [choice, (changes) => write({ ...choice, ...changes })]
}

function write({ form, isWhole, isRaw, ignoresSpace, showsIgnored, hides }: DiffChoice): void {
  const hide = kinds.filter((kind) => hides[kind]).join(',')
  const flag = (on: boolean): string | null => (on ? '1' : null)
  setQuery(
    {
      form: form === 'changes' ? null : form,
      whole: flag(isWhole),
      raw: flag(isRaw),
      space: flag(ignoresSpace),
      ignored: showsIgnored ? 'show' : null,
      hide,
    },
    { replace: true },
  )
}
