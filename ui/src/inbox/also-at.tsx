import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { Annotation } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { showError, showToast } from '../kit/toast.tsx'
import { originalHref } from './document-links.ts'
import { dropOtherLists, patchItems } from './inbox-cache.ts'
import { strings } from './strings.ts'

const texts = strings.pane

/** Pages with the same content. A page grouped by mistake can be split off: it gets its own item, now and for later changes. */
export function AlsoAt({ item }: { item: Annotation }) {
  const client = useQueryClient()
  const split = useMutation({
    mutationFn: (url: string) => api.post<{ items: Annotation[] }>(`/annotations/${item.id}/split`, { url }),
    onSuccess: (_, url) => {
      patchItems(client, new Set([item.id]), (one) => ({ ...one, alsoAt: one.alsoAt.filter((each) => each !== url) }))
      dropOtherLists(client)
      showToast(texts.splitDone)
    },
    onError: showError,
  })
  if (item.alsoAt.length === 0) return null
  return (
    <section className="kit-stack pane-part">
      <h3>{texts.alsoAt}</h3>
      <ul className="pane-also">
        {item.alsoAt.map((url) => (
          <li key={url}>
            <PageLink url={url} />
            <Button
              label={texts.split}
              aria-label={texts.splitPage(url)}
              small
              disabled={split.isPending}
              onClick={() => split.mutate(url)}
            />
          </li>
        ))}
      </ul>
      <p className="faint small">{texts.splitEffect}</p>
    </section>
  )
}

function PageLink({ url }: { url: string }) {
  const href = originalHref(url)
  if (href === null) return <span className="break">{url}</span>
  return (
    <a className="break" href={href} target="_blank" rel="noreferrer noopener">
      {url}
    </a>
  )
}
