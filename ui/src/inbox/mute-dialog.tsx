import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, messageOf } from '../api/client.ts'
import type { Annotation, BulkSourcesDone, Source, SourceList } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { ErrorState, Skeleton } from '../kit/states.tsx'
import { didWithUndo } from '../undo/undo.ts'
import { strings } from './strings.ts'

const texts = strings.mute

const MAX_SHOWN = 200

/** The sources that may have found the item, closest URL first. */
function likelySources(sources: readonly Source[], item: Annotation): Source[] {
  const near = ({ uri, host }: Source) => (item.url.startsWith(uri) ? 1_000 + uri.length : host === item.source ? 1 : 0)
  return [...sources].sort((a, b) => near(b) - near(a))
}

function useSourcesOf(item: Annotation) {
  return useQuery({
    queryKey: ['sources', 'of-profile', item.profile.id],
    queryFn: ({ signal }) =>
      api
        .get<SourceList>('/sources', { profile: item.profile.id, limit: MAX_SHOWN }, signal)
        .then(({ items }) => items),
    select: (sources) => likelySources(sources, item),
  })
}

export function MuteDialog({ item, onClose }: { item: Annotation; onClose: () => void }) {
  const client = useQueryClient()
  const sources = useSourcesOf(item)
  const [picked, setPicked] = useState<number | null>(null)
  const chosen = sources.data?.find(({ id }) => id === picked) ?? sources.data?.[0]
  const patch = async (id: number, muted: boolean) => {
    await api.patch<BulkSourcesDone>('/sources', { ids: [id], muted })
    await client.invalidateQueries({ queryKey: ['sources'] })
  }
  const mute = useMutation({
    mutationFn: async (source: Source) => {
      await patch(source.id, true)
      didWithUndo(texts.muted(source.uri), () => patch(source.id, false))
    },
    onSuccess: onClose,
  })
  return (
    <Dialog
      title={texts.title(item.source)}
      onClose={onClose}
      actions={
        <>
          <Button label={strings.actions.cancel} onClick={onClose} />
          <Button
            label={texts.confirm}
            variant="primary"
            icon="mute"
            disabled={chosen === undefined || mute.isPending}
            onClick={() => chosen && mute.mutate(chosen)}
          />
        </>
      }
    >
      <div className="kit-form">
        <p>{texts.effect}</p>
        {sources.isPending && <Skeleton lines={2} label={texts.searching} />}
        {sources.isError && <ErrorState error={sources.error} onRetry={() => void sources.refetch()} />}
        {sources.data !== undefined && sources.data.length > 1 && (
          <fieldset className="pane-choices">
            <legend>{texts.which(item.profile.name)}</legend>
            {sources.data.map((source) => (
              <label key={source.id} className="pane-choice">
                <input
                  type="radio"
                  name="source"
                  checked={source.id === chosen?.id}
                  onChange={() => setPicked(source.id)}
                />
                <span>{source.uri}</span>
              </label>
            ))}
          </fieldset>
        )}
        {chosen !== undefined && (
          <p className="pane-effect">{chosen.unread === 0 ? texts.noneUnread : texts.unread(chosen.unread)}</p>
        )}
        {mute.isError && <p role="alert">{texts.failed(messageOf(mute.error))}</p>}
      </div>
    </Dialog>
  )
}
