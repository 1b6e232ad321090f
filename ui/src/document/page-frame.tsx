import { urlOf } from '../api/client.ts'
import type { Version } from '../api/types.ts'
import { EmptyState } from '../kit/states.tsx'
import { exactTime } from '../time/zone.ts'
import { absenceOf } from './version-words.ts'

export function PageFrame({ version }: { version: Version }) {
  const absence = absenceOf(version)
  if (absence !== null)
    return (
      <EmptyState icon="cached" title="Nothing to show">
        {absence}
      </EmptyState>
    )
  return (
    <Picture
      title={`Version ${version.n}, as it was on ${exactTime(version.firstSeenAt)}`}
      src={urlOf(`/versions/${version.id}/content`)}
    />
  )
}

/**
 * A page as a picture of itself: the frame may run nothing, load nothing and lead nowhere. Each page has a frame of its own: one that
 * went from page to page would be in the way of Back.
 */
export function Picture({ title, src }: { title: string; src: string }) {
  return <iframe key={src} className="document-frame" sandbox="" referrerPolicy="no-referrer" title={title} src={src} />
}
