import type { ReactNode } from 'react'
import { urlOf } from '../api/client.ts'
import type { Document, Version } from '../api/types.ts'
import { ButtonLink } from '../kit/button.tsx'
import { formatSize } from '../kit/strings.ts'
import { exactTime } from '../time/zone.ts'
import { strings } from './strings.ts'

/** Facts about a document and one of its versions: evidence of what was there, and when. */
export function AboutTab({ document, version }: { document: Document; version: Version }) {
  const labels = strings.about
  const { outcome, status } = document
  return (
    <div className="document-about">
      <Facts
        name={labels.document}
        facts={[
          [labels.url, document.url],
          [labels.firstRequested, exactTime(document.firstAt)],
          [labels.lastChecked, exactTime(document.checkedAt)],
          [labels.lastOutcome, status === 0 ? outcome : labels.outcome(outcome, status)],
          [labels.redirectsTo, document.location],
        ]}
      />
      <Facts
        name={strings.versions.name(version.n)}
        facts={[
          [labels.reason, strings.versions.reasonInFull[version.reason]],
          [labels.firstSeen, exactTime(version.firstSeenAt)],
          [labels.lastSeen, exactTime(version.lastSeenAt)],
          [labels.status, String(version.status)],
          [labels.mediaType, version.type],
          [labels.size, formatSize(version.size)],
          [labels.digest, version.digest],
          [labels.etag, version.etag],
          [labels.lastModified, version.lastModified],
          [labels.serverAddress, version.address],
          [labels.truncated, version.truncated],
          [labels.completed, version.completedFrom?.parts.join(', ') ?? ''],
        ]}
      />
      <div className="kit-row">
        <ButtonLink
          label={labels.metadata}
          href={urlOf(`/documents/${document.id}/meta`)}
          variant="plain"
          icon="cached"
          external
        />
        <ButtonLink
          label={labels.replay}
          href={`/web/${version.firstSeenAt.replace(/\D/g, '').slice(0, 14)}/${version.url}`}
          variant="plain"
          icon="clock"
          external
        />
        {version.body === 'kept' && (
          <ButtonLink
            label={labels.download}
            href={urlOf(`/versions/${version.id}/content`, { download: true })}
            variant="plain"
            icon="download"
            external
          />
        )}
      </div>
    </div>
  )
}

function Facts({ name, facts }: { name: string; facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <section className="kit-card document-facts">
      <h2>{name}</h2>
      <dl className="kit-facts break">
        {facts
          .filter(([, value]) => value !== '')
          .map(([label, value]) => (
            <div key={label}>
              <dt className="soft">{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  )
}
