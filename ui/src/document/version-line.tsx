import { useEffect, useRef } from 'react'
import type { Version } from '../api/types.ts'
import { classNames } from '../kit/class-names.ts'
import { IconButton } from '../kit/icon-button.tsx'
import { exactTime, shortTime } from '../time/zone.ts'
import type { VersionChoice } from './version-choice.ts'
import { reasonWords } from './version-words.ts'

type Props = { versions: readonly Version[]; choice: VersionChoice }

/** The versions in their order on a line: what is compared is marked, a click compares one with the one before it. */
export function VersionLine({ versions, choice: { from, to, choose, step } }: Props) {
  const chosen = useRef<HTMLButtonElement>(null)
  const chosenN = to?.n
  const count = versions.length
  // Older ones come later, in front of it, and push it out of sight.
  useEffect(() => {
    if (chosenN !== undefined && count > 0) chosen.current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [chosenN, count])
  const place = to === null ? -1 : versions.indexOf(to)
  return (
    <nav className="document-line" aria-label="Versions">
      <IconButton
        icon="left"
        label="Version before"
        shortcut="←"
        tip="start"
        disabled={place <= 0}
        onClick={() => step(-1)}
      />
      <ol className="document-line-stops">
        {versions.map((version) => (
          <li key={version.id}>
            <button
              type="button"
              ref={version === to ? chosen : undefined}
              className={classNames(
                'document-stop',
                `document-stop-${version.reason}`,
                version === to && 'document-stop-to',
                version === from && 'document-stop-from',
              )}
              aria-current={version === to ? 'true' : undefined}
              title={`Version ${version.n}, ${reasonWords[version.reason]}, ${exactTime(version.firstSeenAt)}`}
              onClick={(event) => choose(event.shiftKey ? { from: version } : { to: version })}
            >
              <span className="document-stop-n numbers">{version.n}</span>
              <span className="document-stop-time">{shortTime(version.firstSeenAt)}</span>
              <span className="document-stop-reason">{version.reason}</span>
            </button>
          </li>
        ))}
      </ol>
      <IconButton
        icon="right"
        label="Version after"
        shortcut="→"
        tip="end"
        disabled={place === -1 || place >= versions.length - 1}
        onClick={() => step(1)}
      />
    </nav>
  )
}
