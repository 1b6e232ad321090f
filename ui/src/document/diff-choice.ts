import { setQuery, useQuery } from '../url/query-state.ts'

/** How two versions are compared, kept in the address so that it can be shared. */
export type DiffChoice = {
  form: 'lines' | 'words'
  /** The whole text, not only what is near a change. */
  isWhole: boolean
  isRaw: boolean
  ignoresSpace: boolean
  /** Also what the own profiles ignore. */
  showsIgnored: boolean
  hides: { added: boolean; removed: boolean; replaced: boolean }
}

export const kinds = ['added', 'removed', 'replaced'] as const

export function useDiffChoice(): [DiffChoice, (changes: Partial<DiffChoice>) => void] {
  const query = useQuery()
  const hidden = new Set((query.get('hide') ?? '').split(','))
  const choice: DiffChoice = {
    form: query.get('form') === 'lines' ? 'lines' : 'words',
    isWhole: query.get('whole') === '1',
    isRaw: query.get('raw') === '1',
    ignoresSpace: query.get('space') === '1',
    showsIgnored: query.get('ignored') === 'show',
    hides: { added: hidden.has('added'), removed: hidden.has('removed'), replaced: hidden.has('replaced') },
  }
  return [choice, (changes) => write({ ...choice, ...changes })]
}

function write({ form, isWhole, isRaw, ignoresSpace, showsIgnored, hides }: DiffChoice): void {
  const hide = kinds.filter((kind) => hides[kind]).join(',')
  const flag = (on: boolean): string | null => (on ? '1' : null)
  setQuery(
    {
      form: form === 'lines' ? 'lines' : null,
      whole: flag(isWhole),
      raw: flag(isRaw),
      space: flag(ignoresSpace),
      ignored: showsIgnored ? 'show' : null,
      hide,
    },
    { replace: true },
  )
}
