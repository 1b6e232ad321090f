import { Link } from 'wouter'
import type { Version } from '../api/types.ts'
import { originalHref } from '../inbox/document-links.ts'
import { Button } from '../kit/button.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { useLinks } from './use-document.ts'

export function LinksTab({ id, version }: { id: string; version: Version }) {
  const query = useLinks(id, version.id)
  const links = query.data?.pages.flatMap(({ items }) => items) ?? []
  if (query.error !== null)
    return <ErrorState title="The links can't be shown" error={query.error} onRetry={() => void query.refetch()} />
  if (query.isPending) return <LoadingState label="Reading links" />
  if (links.length === 0)
    return (
      <EmptyState icon="link" title="No links">
        This version leads nowhere else, or its links were not followed.
      </EmptyState>
    )
  return (
    <>
      <ul className="document-links">
        {links.map(({ url, document }) => (
          <li key={url}>
            {document === null ? (
              <a href={originalHref(url) ?? undefined} target="_blank" rel="noreferrer noopener">
                {url}
              </a>
            ) : (
              <>
                <Link href={`/documents/${document}`}>{url}</Link> <span className="soft">kept here</span>
              </>
            )}
          </li>
        ))}
      </ul>
      {query.hasNextPage && (
        <Button onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
          More links
        </Button>
      )}
    </>
  )
}
