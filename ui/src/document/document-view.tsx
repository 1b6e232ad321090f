import './document.css'
import { useParams } from 'wouter'
import { isOffline } from '../api/client.ts'
import type { Document, Version } from '../api/types.ts'
import { originalHref } from '../inbox/document-links.ts'
import { useShortcuts } from '../keyboard/use-shortcuts.ts'
import { ButtonLink } from '../kit/button.tsx'
import { Page } from '../kit/page.tsx'
import { Segments } from '../kit/segments.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { useQueryState } from '../url/query-state.ts'
import { AboutTab } from './about-tab.tsx'
import { DiffTab } from './diff-tab.tsx'
import { LinksTab } from './links-tab.tsx'
import { MergedPage } from './merged-page.tsx'
import { PageFrame } from './page-frame.tsx'
import { SideBySide } from './side-by-side.tsx'
import { TextTab } from './text-tab.tsx'
import { useDocument, useVersions } from './use-document.ts'
import { useVersionChoice } from './version-choice.ts'
import { VersionLine } from './version-line.tsx'

const tabs = [
  { value: 'diff', label: 'Changes' },
  { value: 'sides', label: 'Side by side' },
  { value: 'merged', label: 'Merged' },
  { value: 'text', label: 'Text' },
  { value: 'page', label: 'Page' },
  { value: 'links', label: 'Links' },
  { value: 'about', label: 'About' },
] as const
type Tab = (typeof tabs)[number]['value']

export default function DocumentView() {
  const { id = '' } = useParams<{ id: string }>()
  const document = useDocument(id)
  const versions = useVersions(id)
  const error = document.error ?? versions.error
  if (error !== null && error !== undefined)
    return (
      <Page title="Document">
        <ErrorState title="This document can't be shown" error={error} onRetry={() => void document.refetch()}>
          {isOffline(error) ? undefined : 'It may be gone, or none of your profiles leads to it.'}
        </ErrorState>
      </Page>
    )
  if (document.data === undefined || versions.isLoading)
    return (
      <Page title="Document">
        <LoadingState />
      </Page>
    )
  return <Shown document={document.data} versions={versions.versions} />
}

function Shown({ document, versions }: { document: Document; versions: readonly Version[] }) {
  const [tab, setTab] = useQueryState('tab', 'diff')
  const choice = useVersionChoice(versions)
  const original = originalHref(document.url)
  useShortcuts('Document', [
    { keys: 'ArrowLeft', label: 'Version before', run: () => choice.step(-1) },
    { keys: 'ArrowRight', label: 'Version after', run: () => choice.step(1) },
    ...tabs.map(({ value, label }, at) => ({ keys: String(at + 1), label, run: () => setTab(value) })),
    {
      keys: 'v',
      label: 'Open the original',
      run: () => void (original !== null && window.open(original, '_blank', 'noopener,noreferrer')),
    },
  ])
  return (
    <Page
      title={document.title === '' ? document.url : document.title}
      lead={<span className="document-url">{document.url}</span>}
      actions={
        original !== null && (
          <ButtonLink href={original} icon="external" external>
            Original
          </ButtonLink>
        )
      }
    >
      {versions.length === 0 || choice.to === null ? (
        <EmptyState icon="clock" title="Nothing kept yet">
          The page was asked for, but no version of it is kept. The About line of its watch says why.
        </EmptyState>
      ) : (
        <>
          <VersionLine versions={versions} choice={choice} />
          <Segments label="View" value={tab as Tab} segments={tabs} onChange={setTab} />
          <TabBody {...{ document, versions, choice }} tab={tab as Tab} version={choice.to} />
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
}

function TabBody({ tab, document, versions, version, choice }: BodyProps) {
  const id = String(document.id)
  switch (tab) {
    case 'sides':
      return <SideBySide choice={choice} />
    case 'merged':
      return <MergedPage id={id} choice={choice} />
    case 'text':
      return <TextTab version={version} />
    case 'page':
      return <PageFrame version={version} />
    case 'links':
      return <LinksTab id={id} version={version} />
    case 'about':
      return <AboutTab document={document} version={version} />
    default:
      return <DiffTab id={id} versions={versions} choice={choice} />
  }
}
