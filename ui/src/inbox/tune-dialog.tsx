import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { api, messageOf } from '../api/client.ts'
import { useGet } from '../api/queries.ts'
import type { Annotation, Preview, Profile } from '../api/types.ts'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { Field } from '../kit/field.tsx'
import { Input } from '../kit/input.tsx'
import { ErrorState, Skeleton } from '../kit/states.tsx'
import { didWithUndo } from '../undo/undo.ts'
import { titleOf } from './item-badges.tsx'
import { strings } from './strings.ts'

export type Tuning = { kind: 'exclude'; term: string } | { kind: 'threshold'; relevance: number }
type Props = { item: Annotation; tuning: Tuning; onClose: () => void }

const texts = strings.tune
const STEP = 0.1

/** Just above this item's score, so that neither it nor a weaker match would pass. */
function thresholdAbove(relevance: number): number {
  return Math.round((Math.floor(relevance / STEP + 1e-9) + 1) * STEP * 100) / 100
}

function tuned(profile: Profile, tuning: Tuning, threshold: number): Profile {
  const { interests } = profile
  if (tuning.kind === 'threshold') return { ...profile, interests: { ...interests, threshold } }
  return {
    ...profile,
    interests: {
      ...interests,
      // A term can't be wanted and excluded at once.
      keywords: interests.keywords.filter(({ key }) => key !== tuning.term),
      exclude: [...new Set([...interests.exclude, tuning.term])],
    },
  }
}

const profilePath = (id: string) => `/profiles/${encodeURIComponent(id)}`

function usePreview(profile: Profile | undefined, name: string) {
  return useQuery({
    queryKey: ['preview', name, profile],
    queryFn: () => api.post<Preview>('/profiles/preview', profile),
    enabled: profile !== undefined,
    placeholderData: (previous) => previous,
  })
}

function useSave(before: Profile | undefined, after: Profile | undefined, message: string, onSaved: () => void) {
  const client = useQueryClient()
  const put = async (profile: Profile) => {
    await api.put<Profile>(profilePath(profile.id), profile)
    await client.invalidateQueries({ queryKey: ['profiles'] })
  }
  return useMutation({
    mutationFn: async () => {
      if (before === undefined || after === undefined) return
      await put(after)
      didWithUndo(message, () => put(before))
    },
    onSuccess: onSaved,
  })
}

export function TuneDialog({ item, tuning, onClose }: Props) {
  const { id, name } = item.profile
  const [threshold, setThreshold] = useState(tuning.kind === 'threshold' ? thresholdAbove(tuning.relevance) : 0)
  const profile = useGet<Profile>(['profiles', id], profilePath(id))
  const deferred = useDeferredValue(threshold)
  const changed = profile.data && tuned(profile.data, tuning, deferred)
  const now = usePreview(profile.data, 'now')
  const then = usePreview(changed, 'then')
  const message = tuning.kind === 'exclude' ? texts.excluded(tuning.term, name) : texts.raised(name)
  const save = useSave(profile.data, changed, message, onClose)
  return (
    <ConfirmDialog
      title={tuning.kind === 'exclude' ? texts.exclude(tuning.term) : texts.raise}
      confirm={tuning.kind === 'exclude' ? texts.excludeConfirm : texts.raiseConfirm(threshold)}
      variant="primary"
      disabled={changed === undefined || save.isPending}
      error={save.isError && texts.failed(messageOf(save.error))}
      onConfirm={save.mutate}
      onClose={onClose}
    >
      {tuning.kind === 'exclude' ? (
        <p>{texts.excludeEffect(tuning.term, name)}</p>
      ) : (
        <Field label={texts.threshold} hint={texts.itemScore(tuning.relevance)}>
          <Input
            type="number"
            step={STEP}
            min={0}
            value={Number.isNaN(threshold) ? '' : threshold}
            onChange={(text) => setThreshold(Number.parseFloat(text))}
          />
        </Field>
      )}
      {profile.isError && <ErrorState query={profile} />}
      <Effect now={now.data} then={then.data} error={then.error ?? now.error} />
    </ConfirmDialog>
  )
}

type EffectProps = { now: Preview | undefined; then: Preview | undefined; error: Error | null }

function Effect({ now, then, error }: EffectProps) {
  if (error !== null) return <p className="soft">{texts.previewFailed(messageOf(error))}</p>
  if (now === undefined || then === undefined) return <Skeleton lines={3} label={texts.previewing} />
  const stays = new Set(then.examples.map(({ version }) => version))
  const lost = now.examples.filter(({ version }) => !stays.has(version)).slice(0, 5)
  return (
    <div className="kit-notice" role="status">
      <p>{texts.preview(then.documents, then.matched, now.matched)}</p>
      {lost.length > 0 && (
        <>
          <p className="faint">{texts.lost}</p>
          <ul className="small pane-effect-list">
            {lost.map((example) => (
              <li key={example.version}>{titleOf(example)}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
