import { api } from '../api/client.ts'
import { useChange, useGet } from '../api/queries.ts'
import type { MutedList } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { showToast } from '../kit/toast.tsx'
import { RelativeTime } from '../time/relative-time.tsx'
import { strings } from './strings.ts'

type Muted = MutedList['items'][number]

const texts = strings.muted

/** Parts of the page that were muted automatically, why, and a button to unmute them. */
export function MutedSection({ id }: { id: string }) {
  const list = useGet<MutedList>(['documents', id, 'muted'], `/documents/${id}/muted`, {}, { retry: false })
  const items = list.data?.items ?? []
  if (items.length === 0) return null
  return (
    <section className="kit-stack document-muted" aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <p className="soft">{texts.lead}</p>
      <ul>
        {items.map((item) => (
          <MutedPart key={item.block} id={id} item={item} />
        ))}
      </ul>
    </section>
  )
}

function MutedPart({ id, item }: { id: string; item: Muted }) {
  const { block, why, text, path, since, changes, undone } = item
  const change = useChange(
    ['documents'],
    (next: Muted['undone']) =>
      api.patch<Muted>(`/documents/${id}/muted/${encodeURIComponent(block)}`, { undone: next }),
    { onError: (error) => showToast(texts.failed(error.message), { tone: 'danger' }) },
  )
  return (
    <li className="document-muted-part">
      <div className="document-muted-what">
        {path !== '' && <p className="soft small break">{path}</p>}
        <p className="break document-muted-text">{text}</p>
        <p className="soft small">
          {undone === null ? why : texts.undone[undone]}
          {undone === null && texts.times(changes)} <RelativeTime at={since} />
        </p>
      </div>
      {undone === null ? (
        <Button label={texts.undo} small disabled={change.isPending} onClick={() => change.mutate('you')} />
      ) : (
        undone === 'you' && (
          <Button label={texts.again} small disabled={change.isPending} onClick={() => change.mutate(null)} />
        )
      )}
    </li>
  )
}
