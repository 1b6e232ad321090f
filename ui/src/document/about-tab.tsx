import type { ReactNode } from 'react'
import { urlOf } from '../api/client.ts'
import type { Document, Version } from '../api/types.ts'
import { ButtonLink } from '../kit/button.tsx'
import { exactTime } from '../time/zone.ts'
import { reasonWords, sizeWords } from './version-words.ts'

/** What is known of a document and of one of its versions: what proves what stood there, and when. */
export function AboutTab({ document, version }: { document: Document; version: Version }) {
  return (
    <div className="document-about">
      <Facts
        name="Document"
        facts={[
          ['Address', document.url],
          ['First asked for', exactTime(document.firstAt)],
          ['Last checked', exactTime(document.checkedAt)],
          ['Last outcome', document.status === 0 ? document.outcome : `${document.outcome} (${document.status})`],
          ['Leads to', document.location],
        ]}
      />
      <Facts
        name={`Version ${version.n}`}
        facts={[
          ['Why', reasonWords[version.reason]],
          ['Seen from', exactTime(version.firstSeenAt)],
          ['Seen until', exactTime(version.lastSeenAt)],
          ['Status', String(version.status)],
          ['Media type', version.type],
          ['Size', sizeWords(version.size)],
          ['Digest', version.digest],
          ['ETag', version.etag],
          ['Last-Modified', version.lastModified],
          ['Server address', version.address],
          ['Cut off', version.truncated],
        ]}
      />
      <div className="kit-row">
        <ButtonLink href={urlOf(`/documents/${document.id}/meta`)} look="plain" icon="cached" external>
          Meta-information as XML
        </ButtonLink>
        {version.body === 'kept' && (
          <ButtonLink
            href={urlOf(`/versions/${version.id}/content`, { download: true })}
            look="plain"
            icon="download"
            external
          >
            Original bytes
          </ButtonLink>
        )}
      </div>
    </div>
  )
}

function Facts({ name, facts }: { name: string; facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <section className="kit-card document-facts">
      <h2>{name}</h2>
      <dl>
        {facts
          .filter(([, value]) => value !== '')
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  )
}
