import type { List } from '../api/client.ts'
import { usePages } from '../api/queries.ts'
import type { Annotation } from '../api/types.ts'
import { ChangeLine } from '../changes/change-line.tsx'
import { ChangeList } from '../changes/change-list.tsx'
import { Button } from '../kit/button.tsx'
import { RelativeTime } from '../time/relative-time.tsx'
import { isMono } from './document-links.ts'
import { countOf, entryOf } from './inbox-rows.ts'
import { KindBadge } from './item-badges.tsx'
import { strings } from './strings.ts'

const PAGE_CHANGES = 20

/** Deduplicates a change that several profiles have. */
function eachVersionOnce(items: readonly Annotation[]): Annotation[] {
  return [...new Map(items.map((item) => [item.version, item])).values()]
}

/** Older changes of the page, each with its time; a click expands one. */
export function EarlierChanges({ item }: { item: Annotation }) {
  const { document, archived, version } = item
  const entry = entryOf(item)
  const query = { document, entry: entry === '' ? undefined : entry, state: archived ? 'archived' : 'all' }
  const enabled = countOf(item) > 1 || item.count === undefined || item.kind !== 'new'
  const pages = usePages<List<Annotation>>(
    ['page-changes', query, item.id],
    '/annotations',
    { ...query, limit: PAGE_CHANGES },
    { enabled },
  )
  const all = eachVersionOnce(pages.data?.pages.flatMap(({ items }) => items) ?? [])
  const earlier = all.filter((each) => each.version !== version && each.id < item.id)
  if (earlier.length === 0) return null
  return (
    <section className="kit-stack pane-part">
      <h3>{strings.pane.earlier}</h3>
      <ol className="pane-earlier">
        {earlier.map((each) => (
          <li key={each.id}>
            <Earlier item={each} />
          </li>
        ))}
      </ol>
      {pages.hasNextPage && (
        <Button
          label={strings.pane.moreEarlier}
          small
          disabled={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        />
      )}
    </section>
  )
}

function Earlier({ item }: { item: Annotation }) {
  const { changes = [], moreChanges = 0 } = item
  const line = (
    <>
      <RelativeTime at={item.at} className="soft small pane-earlier-time" />
      {item.kind !== 'changed' && <KindBadge kind={item.kind} />}{' '}
      <span className="break">
        <ChangeLine {...item.summary} />
      </span>
    </>
  )
  if (changes.length === 0) return <p className="pane-earlier-line">{line}</p>
  return (
    <details>
      <summary className="pane-earlier-line">{line}</summary>
      <ChangeList changes={changes} more={moreChanges} isMono={() => isMono(item)} />
    </details>
  )
}
