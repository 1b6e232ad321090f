import './activity.css'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Page } from '../kit/page.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { useMe } from '../session/session.ts'
import { Explain } from './explain.tsx'
import { Charts } from './figures.tsx'
import { Hosts } from './hosts.tsx'
import { Nodes } from './nodes.tsx'
import { PauseButton, PausedBanner } from './pause.tsx'
import { Levels, Totals } from './totals.tsx'
import { useCrawl } from './use-activity.ts'

const CrawlGraph = lazy(() => import('./graph.tsx'))

export default function ActivityView() {
  const { role } = useMe()
  return (
    <Page title="Activity" lead="What is being fetched, how well it goes, and why.">
      <section className="activity-section" aria-label="Explain an address">
        <Explain />
      </section>
      {role === 'administrator' ? (
        <Administration />
      ) : (
        <p className="soft">
          The figures of the whole crawl are shown to administrators. How your own sources are doing stands under
          Watches.
        </p>
      )}
    </Page>
  )
}

function Administration() {
  const crawl = useCrawl()
  const [showsGraph, setShowsGraph] = useState(false)
  if (crawl.error !== null && crawl.data === undefined)
    return <ErrorState error={crawl.error} onRetry={() => void crawl.refetch()} />
  if (crawl.data === undefined) return <LoadingState label="Reading figures" />
  return (
    <>
      <PausedBanner crawl={crawl.data} />
      <Charts series={crawl.data.series} />
      <Totals crawl={crawl.data} />
      <section className="activity-section" aria-labelledby="activity-nodes">
        <div className="activity-head">
          <h2 id="activity-nodes">Nodes</h2>
          <PauseButton isPaused={crawl.data.isPaused} />
        </div>
        <Nodes />
      </section>
      <section className="activity-section">
        <h2>Service levels</h2>
        <Levels levels={crawl.data.levels} />
      </section>
      <section className="activity-section">
        <h2>Hosts</h2>
        <Hosts />
      </section>
      <section className="activity-section">
        <h2>The crawl as a graph</h2>
        {showsGraph ? (
          <Suspense fallback={<LoadingState label="Drawing" />}>
            <CrawlGraph />
          </Suspense>
        ) : (
          <Button icon="activity" onClick={() => setShowsGraph(true)}>
            Draw it
          </Button>
        )}
      </section>
    </>
  )
}
