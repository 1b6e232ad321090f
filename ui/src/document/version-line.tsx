import { useEffect, useRef } from 'react'
import type { Version } from '../api/types.ts'
import type { BadgeTone } from '../kit/badge.tsx'
import { IconButton } from '../kit/button.tsx'
import { classNames } from '../kit/class-names.ts'
import { exactTime, shortTime } from '../time/zone.ts'
import type { VersionChoice } from './choices.ts'
import { strings } from './strings.ts'

const reasonTones = { new: 'good', changed: 'accent', links: 'plain', gone: 'danger', back: 'good' } satisfies Record<
  Version['reason'],
  BadgeTone
>

type Props = { versions: readonly Version[]; choice: VersionChoice }

/** A timeline of the versions, the compared ones highlighted. A click compares a version with the one before it. */
export function VersionLine({ versions, choice: { from, to, choose, step } }: Props) {
  const chosen = useRef<HTMLButtonElement>(null)
  const chosenN = to?.n
  const count = versions.length
  // Older versions load later, to the left of the chosen one, and push it out of view.
  useEffect(() => {
    if (chosenN !== undefined && count > 0) chosen.current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [chosenN, count])
  const index = to === null ? -1 : versions.indexOf(to)
  return (
    <nav className="document-line" aria-label={strings.versions.label}>
      <IconButton
        icon="left"
        label={strings.versions.previous}
        shortcut="←"
        tip="start"
        disabled={index <= 0}
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
                `tone-${version.notice === 'noise' ? 'plain' : reasonTones[version.reason]}`,
                version === to && 'document-stop-to',
                version === from && 'document-stop-from',
              )}
              aria-current={version === to ? 'true' : undefined}
              title={strings.versions.title(
                version.n,
                version.notice === 'noise'
                  ? strings.versions.noiseInFull
                  : strings.versions.reasonInFull[version.reason],
                exactTime(version.firstSeenAt),
              )}
              onClick={(event) => choose(event.shiftKey ? { from: version } : { to: version })}
            >
              <span className="document-stop-n numbers">{version.n}</span>
              <span className="soft small">{shortTime(version.firstSeenAt)}</span>
              <span className="soft small">
                {version.notice === 'noise' ? strings.versions.noise : strings.versions.reason[version.reason]}
              </span>
            </button>
          </li>
        ))}
      </ol>
      <IconButton
        icon="right"
        label={strings.versions.next}
        shortcut="→"
        tip="end"
        disabled={index === -1 || index >= versions.length - 1}
        onClick={() => step(1)}
      />
    </nav>
  )
}
