import './document.css'
import { useParams } from 'wouter'
import { isOffline } from '../api/client.ts'
import { useGet } from '../api/queries.ts'
import type { Document, PriceList, Version } from '../api/types.ts'
import { originalHref } from '../inbox/document-links.ts'
import { useShortcuts } from '../keyboard/shortcuts.ts'
import { Button, ButtonLink } from '../kit/button.tsx'
import { Page } from '../kit/page.tsx'
import { Segments } from '../kit/segments.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { useQueryState } from '../url/query-state.ts'
import { AboutTab } from './about-tab.tsx'
import { useVersionChoice } from './choices.ts'
import { LinksTab, MergedTab, PageTab, SideBySideTab, TextTab } from './content-tabs.tsx'
import { DiffTab } from './diff-tab.tsx'
import { PartTab } from './part-tab.tsx'
import { PriceTab } from './price-tab.tsx'
import { strings } from './strings.ts'
import { useVersions } from './use-document.ts'
import { VersionLine } from './version-line.tsx'

/** `part` is not in the tab bar: a button opens the view in which a part of the page is chosen. */
type Tab = keyof typeof strings.tabs | 'part'
const allTabs = (Object.keys(strings.tabs) as (keyof typeof strings.tabs)[]).map((value) => ({
  value,
  label: strings.tabs[value],
}))

export default function DocumentView() {
  const { id = '' } = useParams<{ id: string }>()
  const document = useGet<Document>(['documents', id], `/documents/${id}`)
  const { versions, query } = useVersions(id)
  // What is shown stays when reading it again fails.
  const failed = [document, query].filter(({ isLoadingError }) => isLoadingError)
  if (failed[0] !== undefined)
    return (
      <Page title={strings.document}>
        <ErrorState
          title={strings.loadFailed}
          query={{ error: failed[0].error, refetch: () => failed.map(({ refetch }) => refetch()) }}
          advice={isOffline(failed[0].error) ? undefined : strings.loadFailedWhy}
        />
      </Page>
    )
  if (document.data === undefined || query.isPending)
    return (
      <Page title={strings.document}>
        <LoadingState />
      </Page>
    )
  return <Shown document={document.data} versions={versions} />
}

function Shown({ document, versions }: { document: Document; versions: readonly Version[] }) {
  const [tab, setTab] = useQueryState('tab', 'diff')
  const choice = useVersionChoice(versions)
  const prices = useGet<PriceList>(['documents', String(document.id), 'prices'], `/documents/${document.id}/prices`)
  const series = prices.data?.items ?? []
  // Most pages have no prices.
  const tabs = allTabs.filter(({ value }) => value !== 'prices' || series.length > 0)
  const original = originalHref(document.url)
  useShortcuts(strings.keys.group, [
    { keys: 'ArrowLeft', label: strings.keys.previous, run: () => choice.step(-1) },
    { keys: 'ArrowRight', label: strings.keys.next, run: () => choice.step(1) },
    ...tabs.map(({ value, label }, at) => ({ keys: String(at + 1), label, run: () => setTab(value) })),
    {
      keys: 'v',
      label: strings.keys.original,
      run: () => void (original !== null && window.open(original, '_blank', 'noopener,noreferrer')),
    },
  ])
  return (
    <Page
      title={document.title === '' ? document.url : document.title}
      lead={<span className="break">{document.url}</span>}
      actions={
        <>
          {choice.to !== null && (
            <Button
              label={strings.part.action}
              icon="filter"
              disabled={tab === 'part'}
              onClick={() => setTab('part')}
            />
          )}
          {original !== null && <ButtonLink label={strings.original} href={original} icon="external" external />}
        </>
      }
    >
      {versions.length === 0 || choice.to === null ? (
        <EmptyState icon="clock" title={strings.noVersions} advice={strings.noVersionsWhy} />
      ) : (
        <>
          <VersionLine versions={versions} choice={choice} />
          <Segments label={strings.view} value={tab as Tab} segments={tabs} onChange={setTab} />
          <TabBody {...{ document, versions, choice, series }} tab={tab as Tab} version={choice.to} />
        </>
      )}
    </Page>
  )
}

type BodyProps = {
  tab: Tab
  document: Document
  versions: readonly Version[]
  version: Version
  choice: ReturnType<typeof useVersionChoice>
  series: PriceList['items']
}

function TabBody({ tab, document, versions, version, choice, series }: BodyProps) {
  const id = String(document.id)
  switch (tab) {
    case 'sides':
      return <SideBySideTab choice={choice} />
    case 'merged':
      return <MergedTab id={id} choice={choice} />
    case 'text':
      return <TextTab version={version} />
    case 'page':
      return <PageTab version={version} />
    case 'links':
      return <LinksTab id={id} version={version} />
    case 'about':
      return <AboutTab document={document} version={version} />
    case 'part':
      return <PartTab document={document} version={version} />
    case 'prices':
      return <PriceTab series={series} />
    default:
      return <DiffTab id={id} versions={versions} choice={choice} />
  }
}
