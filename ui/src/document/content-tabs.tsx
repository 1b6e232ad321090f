import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, type List, urlOf } from '../api/client.ts'
import { usePages } from '../api/queries.ts'
import type { Link as DocumentLink, Version } from '../api/types.ts'
import { originalHref } from '../inbox/document-links.ts'
import { Button } from '../kit/button.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { RelativeTime } from '../time/relative-time.tsx'
import { exactTime } from '../time/zone.ts'
import { useDiffChoice, type VersionChoice } from './choices.ts'
import { IgnoredLine } from './diff-text.tsx'
import { strings } from './strings.ts'
import { PAGE, useDiff, WHOLE } from './use-document.ts'

/** The anchor of the first change in the merged page: the frame opens there. */
const FIRST_CHANGE = '#erace-first-change'

/** Why a version has no content to show; null when it has. */
export function absenceOf({ body, reason, status, location }: Version): string | null {
  const { gone, moved, dropped, lost, none } = strings.missing
  if (reason === 'gone') return location === '' ? gone(status) : moved(location)
  if (body === 'dropped') return dropped
  if (body === 'lost') return lost
  return body === 'none' ? none : null
}

/** The visible text of the page, without its styling. */
export function TextTab({ version }: { version: Version }) {
  const absence = absenceOf(version)
  const query = useQuery({
    queryKey: ['versions', version.id, 'text'],
    queryFn: () => api.text(`/versions/${version.id}/text`),
    enabled: absence === null,
  })
  if (absence !== null) return <Absence reason={absence} />
  if (query.error !== null) return <ErrorState title={strings.text.failed} query={query} />
  if (query.data === undefined) return <LoadingState label={strings.text.loading} />
  if (query.data.trim() === '')
    return <EmptyState icon="cached" title={strings.text.empty} advice={strings.text.emptyAdvice} />
  return <pre className="break document-plain">{query.data}</pre>
}

export function PageTab({ version }: { version: Version }) {
  const absence = absenceOf(version)
  if (absence !== null) return <Absence reason={absence} />
  return (
    <SandboxedPage
      title={strings.frame(version.n, exactTime(version.firstSeenAt))}
      src={urlOf(`/versions/${version.id}/content`)}
    />
  )
}

function Absence({ reason }: { reason: string }) {
  return <EmptyState icon="cached" title={strings.missing.title} advice={reason} />
}

/**
 * The frame can neither run scripts nor load anything; its links open our page, in a new tab, that shows where they lead. Each page
 * gets its own frame: navigating one frame from page to page would add entries to the history and break Back.
 */
function SandboxedPage({ title, src }: { title: string; src: string }) {
  return (
    <iframe
      key={src}
      className="document-frame"
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      referrerPolicy="no-referrer"
      title={title}
      src={src}
    />
  )
}

export function SideBySideTab({ choice: { from, to } }: { choice: VersionChoice }) {
  if (from === null || to === null) return <OneVersion>{strings.sides.oneVersion}</OneVersion>
  return (
    <div className="document-sides">
      <Side version={from} name={strings.sides.before} />
      <Side version={to} name={strings.sides.after} />
    </div>
  )
}

function Side({ version, name }: { version: Version; name: string }) {
  return (
    <section className="document-side" aria-label={name}>
      <h2 className="document-side-name">
        {strings.sides.heading(name, version.n)}
        <RelativeTime at={version.firstSeenAt} />
      </h2>
      <PageTab version={version} />
    </section>
  )
}

export function OneVersion({ children }: { children: string }) {
  return <EmptyState icon="clock" title={strings.versions.one} advice={children} />
}

export function MergedTab({ id, choice: { from, to } }: { id: string; choice: VersionChoice }) {
  const [diffChoice, setDiffChoice] = useDiffChoice()
  const { showsIgnored } = diffChoice
  // The diff tells what was left out, or why there is nothing to show; the frame can't.
  const diff = useDiff(id, { ...diffChoice, from: from?.n ?? 0, to: to?.n ?? 0 }, from !== null && to !== null)
  if (from === null || to === null) return <OneVersion>{strings.merged.oneVersion}</OneVersion>
  if (diff.error !== null)
    return (
      <ErrorState
        title={strings.merged.failed}
        query={diff}
        advice={absenceOf(from) ?? absenceOf(to) ?? strings.diff.failedAdvice}
      />
    )
  // For content other than HTML the whole text is shown, word by word.
  const query = { from: from.n, to: to.n, format: 'page', form: 'words', context: WHOLE }
  return (
    <section className="document-merged" aria-label={strings.merged.label}>
      <p className="soft">
        {strings.merged.legend(to.n)}
        <ins className="document-added-word">{strings.merged.added(from.n)}</ins>
        {strings.merged.separator}
        <span className="document-moved-word">{strings.merged.moved}</span>
        {strings.merged.and}
        <del className="document-removed-word">{strings.merged.removed}</del>
      </p>
      <IgnoredLine
        count={diff.data?.ignoring ?? 0}
        showsAll={showsIgnored}
        onChange={(next) => setDiffChoice({ showsIgnored: next })}
      />
      {diff.data?.tooExpensive && <p className="soft">{strings.diff.tooExpensive}</p>}
      <SandboxedPage
        title={strings.merged.frame(from.n, to.n)}
        src={urlOf(`/documents/${id}/diff`, { ...query, ignored: showsIgnored ? 'show' : undefined }) + FIRST_CHANGE}
      />
    </section>
  )
}

export function LinksTab({ id, version }: { id: string; version: Version }) {
  const filter = { version: version.id, limit: PAGE }
  const query = usePages<List<DocumentLink>>(['documents', id, 'links', version.id], `/documents/${id}/links`, filter)
  const links = query.data?.pages.flatMap(({ items }) => items) ?? []
  if (query.error !== null) return <ErrorState title={strings.links.failed} query={query} />
  if (query.isPending) return <LoadingState label={strings.links.loading} />
  if (links.length === 0) return <EmptyState icon="link" title={strings.links.empty} advice={strings.links.emptyWhy} />
  return (
    <>
      <ul className="break document-links">
        {links.map(({ url, document }) => (
          <li key={url}>
            {document === null ? (
              <a href={originalHref(url) ?? undefined} target="_blank" rel="noreferrer noopener">
                {url}
              </a>
            ) : (
              <>
                <Link href={`/documents/${document}`}>{url}</Link> <span className="soft">{strings.links.saved}</span>
              </>
            )}
          </li>
        ))}
      </ul>
      {query.hasNextPage && (
        <Button
          label={strings.links.more}
          onClick={() => void query.fetchNextPage()}
          disabled={query.isFetchingNextPage}
        />
      )}
    </>
  )
}
