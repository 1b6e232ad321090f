import type { Version } from '../api/types.ts'
import { EmptyState } from '../kit/states.tsx'
import { RelativeTime } from '../time/relative-time.tsx'
import { PageFrame } from './page-frame.tsx'
import type { VersionChoice } from './version-choice.ts'

export function SideBySide({ choice: { from, to } }: { choice: VersionChoice }) {
  if (from === null || to === null)
    return (
      <EmptyState icon="clock" title="One version so far">
        When the page changes, both versions stand here side by side.
      </EmptyState>
    )
  return (
    <div className="document-sides">
      <Side version={from} name="Before" />
      <Side version={to} name="After" />
    </div>
  )
}

function Side({ version, name }: { version: Version; name: string }) {
  return (
    <section className="document-side" aria-label={name}>
      <h2 className="document-side-name">
        {name} · version {version.n} · <RelativeTime at={version.firstSeenAt} />
      </h2>
      <PageFrame version={version} />
    </section>
  )
}
