import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { api, messageOf } from '../api/client.ts'
import type { Annotation, Preview, Profile } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Field } from '../kit/field.tsx'
import { Input } from '../kit/input.tsx'
import { ErrorState, Skeleton } from '../kit/states.tsx'
import { didWithUndo } from '../undo/undo.ts'
import { titleOf } from './item-badges.tsx'

export type Tuning = { kind: 'exclude'; term: string } | { kind: 'threshold'; relevance: number }
type Props = { item: Annotation; tuning: Tuning; onClose: () => void }

const STEP = 0.1

/** Just above what this item scores: it, and what is no better, would not have come. */
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
      // A word cannot be wanted and excluded at once.
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

function useSave(before: Profile | undefined, after: Profile | undefined, words: string, onSaved: () => void) {
  const client = useQueryClient()
  const put = async (profile: Profile) => {
    await api.put<Profile>(profilePath(profile.id), profile)
    await client.invalidateQueries({ queryKey: ['profiles'] })
  }
  return useMutation({
    mutationFn: async () => {
      if (before === undefined || after === undefined) return
      await put(after)
      didWithUndo(words, () => put(before))
    },
    onSuccess: onSaved,
  })
}

export function TuneDialog({ item, tuning, onClose }: Props) {
  const { id, name } = item.profile
  const [threshold, setThreshold] = useState(tuning.kind === 'threshold' ? thresholdAbove(tuning.relevance) : 0)
  const profile = useQuery({ queryKey: ['profiles', id], queryFn: () => api.get<Profile>(profilePath(id)) })
  const settled = useDeferredValue(threshold)
  const changed = profile.data && tuned(profile.data, tuning, settled)
  const now = usePreview(profile.data, 'now')
  const then = usePreview(changed, 'then')
  const what = tuning.kind === 'exclude' ? `“${tuning.term}” excluded in ${name}` : `Threshold of ${name} raised`
  const save = useSave(profile.data, changed, what, onClose)
  const title = tuning.kind === 'exclude' ? `Exclude “${tuning.term}”` : 'Raise the threshold'
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={changed === undefined || save.isPending} onClick={() => save.mutate()}>
            {tuning.kind === 'exclude' ? `Exclude it in ${name}` : `Set it to ${threshold}`}
          </Button>
        </>
      }
    >
      <div className="kit-form">
        {tuning.kind === 'exclude' ? (
          <p>
            What has “{tuning.term}” in it will no longer come through the profile {name}; it is no longer one of its
            terms either.
          </p>
        ) : (
          <Field label="Threshold" hint={`This item scores ${Math.round(tuning.relevance * 100) / 100}.`}>
            <Input
              type="number"
              step={STEP}
              min={0}
              value={Number.isNaN(threshold) ? '' : threshold}
              onChange={(event) => setThreshold(event.target.valueAsNumber)}
            />
          </Field>
        )}
        {profile.isError && <ErrorState error={profile.error} onRetry={() => void profile.refetch()} />}
        <Effect now={now.data} then={then.data} error={then.error ?? now.error} />
        {save.isError && <p role="alert">Not saved: {messageOf(save.error)}</p>}
      </div>
    </Dialog>
  )
}

type EffectProps = { now: Preview | undefined; then: Preview | undefined; error: Error | null }

function Effect({ now, then, error }: EffectProps) {
  if (error !== null) return <p className="soft">The effect cannot be shown: {messageOf(error)}</p>
  if (now === undefined || then === undefined) return <Skeleton lines={3} label="Trying it on the last documents" />
  const stays = new Set(then.examples.map(({ version }) => version))
  const lost = now.examples.filter(({ version }) => !stays.has(version)).slice(0, 5)
  return (
    <div className="pane-effect" role="status">
      <p>
        Tried on {then.documents === 1 ? 'one document' : `the last ${then.documents} documents`}:{' '}
        <strong>{then.matched}</strong> would match, now it is <strong>{now.matched}</strong>.
      </p>
      {lost.length > 0 && (
        <>
          <p className="faint">Among those that would not have come:</p>
          <ul className="pane-effect-list">
            {lost.map((example) => (
              <li key={example.version}>{titleOf(example)}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
