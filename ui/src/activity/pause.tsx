import { useState } from 'react'
import type { Crawl } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { usePause } from './use-activity.ts'

/** Stands above everything while nothing is fetched. */
export function PausedBanner({ crawl: { paused, isPaused } }: { crawl: Crawl }) {
  const pause = usePause()
  if (paused === null) return null
  return (
    <div className="activity-paused activity-banner" role="alert">
      <span>Nothing is fetched at the moment: {paused}</span>
      {isPaused && (
        <Button icon="play" disabled={pause.isPending} onClick={() => pause.mutate(false)}>
          Resume the crawl
        </Button>
      )}
    </div>
  )
}

export function PauseButton({ isPaused }: { isPaused: boolean }) {
  const pause = usePause()
  const [asks, setAsks] = useState(false)
  // Where it is paused, the banner has the button that takes it back.
  if (isPaused) return null
  return (
    <>
      <Button icon="pause" onClick={() => setAsks(true)}>
        Pause the crawl
      </Button>
      {asks && (
        <ConfirmDialog
          title="Pause the crawl?"
          confirm="Pause the crawl"
          busy={pause.isPending}
          onCancel={() => setAsks(false)}
          onConfirm={() => pause.mutate(true, { onSettled: () => setAsks(false) })}
        >
          <p>
            Requests that are under way are finished, and no node begins another one until the crawl is resumed. Nothing
            is lost: what falls due meanwhile waits.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}
