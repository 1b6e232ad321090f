import { useEffect } from 'react'
import type { List } from '../api/client.ts'
import { mayLoadMore, useGet, usePages } from '../api/queries.ts'
import type { Diff, Version } from '../api/types.ts'
import type { DiffChoice } from './choices.ts'

export const PAGE = 200
/** More than a user browses by hand; older ones are reachable by number in the URL. */
const MAX_VERSIONS = 2000

/** The versions of a document, oldest first. */
export function useVersions(id: string) {
  const query = usePages<List<Version>>(['documents', id, 'versions'], `/documents/${id}/versions`, { limit: PAGE })
  const { data, fetchNextPage } = query
  const items = data?.pages.flatMap((page) => page.items) ?? []
  const wantsMore = mayLoadMore(query) && items.length < MAX_VERSIONS
  useEffect(() => {
    if (wantsMore) void fetchNextPage()
  }, [wantsMore, fetchNextPage])
  return { versions: items.toReversed(), query }
}

export function useDiff(id: string, choice: DiffChoice & { from: number; to: number }, enabled: boolean) {
  const { from, to, form, isWhole, isRaw, ignoresSpace, showsIgnored } = choice
  const context = isWhole ? WHOLE : 3
  const ignored = showsIgnored ? 'show' : undefined
  // The list of changes comes with every form.
  const query = {
    from,
    to,
    form: form === 'changes' ? 'words' : form,
    context,
    raw: isRaw,
    ignoreSpace: ignoresSpace,
    ignored,
  }
  return useGet<Diff>(['documents', id, 'diff', query], `/documents/${id}/diff`, query, {
    enabled,
    keepsPrevious: true,
  })
}

/** Number of context lines that includes the whole text. */
export const WHOLE = 1_000_000
