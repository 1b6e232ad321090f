import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api, messageOf } from '../api/client.ts'
import { useGet } from '../api/queries.ts'
import type { Annotation, BulkSourcesDone, Source, SourceList } from '../api/types.ts'
import { ConfirmDialog } from '../kit/dialog.tsx'
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

export function MuteDialog({ item, onClose }: { item: Annotation; onClose: () => void }) {
  const client = useQueryClient()
  const { id: profile, name } = item.profile
  const sources = useGet<SourceList>(['sources', 'of-profile', profile], '/sources', { profile, limit: MAX_SHOWN })
  const likely = useMemo(() => likelySources(sources.data?.items ?? [], item), [sources.data, item])
  const [picked, setPicked] = useState<number | null>(null)
  const chosen = likely.find(({ id }) => id === picked) ?? likely[0]
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
    <ConfirmDialog
      title={texts.title(item.source)}
      confirm={texts.confirm}
      variant="primary"
      icon="mute"
      disabled={chosen === undefined || mute.isPending}
      error={mute.isError && texts.failed(messageOf(mute.error))}
      onConfirm={() => chosen && mute.mutate(chosen)}
      onClose={onClose}
    >
      <p>{texts.effect}</p>
      {sources.isPending && <Skeleton lines={2} label={texts.searching} />}
      {sources.isError && <ErrorState query={sources} />}
      {likely.length > 1 && (
        <fieldset className="kit-choices">
          <legend>{texts.which(name)}</legend>
          {likely.map((source) => (
            <label key={source.id} className="break">
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
        <p className="kit-notice">{chosen.unread === 0 ? texts.noneUnread : texts.unread(chosen.unread)}</p>
      )}
    </ConfirmDialog>
  )
}
