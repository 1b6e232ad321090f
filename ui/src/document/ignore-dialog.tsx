import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, api, messageOf } from '../api/client.ts'
import type { Diff, Profile } from '../api/types.ts'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { Field } from '../kit/field.tsx'
import { TextArea } from '../kit/input.tsx'
import { didWithUndo } from '../undo/undo.ts'
import { MAX_PATTERN, patternOf, type SelectedText } from './ignore-pattern.ts'
import { strings } from './strings.ts'

type Ignoring = { pattern: string; profiles: readonly string[] }

type Props = {
  document: string
  profiles: Diff['profiles']
  selected: SelectedText
  /** The pattern that the server proposes; by default it is made from the selection. */
  proposed?: string | undefined
  onClose: () => void
}

export function IgnoreDialog({ document, profiles, selected, proposed, onClose }: Props) {
  const [pattern, setPattern] = useState(() => proposed ?? patternOf(selected))
  const [skipped, setSkipped] = useState<ReadonlySet<string>>(new Set())
  const save = useIgnore(document, onClose)
  const chosen = profiles.filter(({ id }) => !skipped.has(id)).map(({ id }) => id)
  const isTooLong = pattern.length > MAX_PATTERN
  const error = isTooLong ? strings.ignore.tooLong(pattern.length, MAX_PATTERN) : patternError(save.error)
  const choose = (id: string, isChosen: boolean): void => {
    const next = new Set(skipped)
    if (isChosen) next.delete(id)
    else next.add(id)
    setSkipped(next)
  }
  return (
    <ConfirmDialog
      title={strings.ignore.action}
      confirm={strings.ignore.confirm}
      variant="primary"
      disabled={pattern.trim() === '' || isTooLong || chosen.length === 0 || save.isPending}
      error={save.isError && error === undefined && strings.ignore.failed(messageOf(save.error))}
      onConfirm={() => save.mutate({ pattern, profiles: chosen })}
      onClose={onClose}
    >
      <p>{strings.ignore.effect}</p>
      <Field label={strings.ignore.pattern} hint={strings.ignore.patternHint} error={error}>
        <TextArea
          className="mono break document-ignore-pattern"
          rows={3}
          spellCheck={false}
          value={pattern}
          onChange={(text) => setPattern(text.replaceAll('\n', ''))}
        />
      </Field>
      <Profiles profiles={profiles} skipped={skipped} onChoose={choose} />
    </ConfirmDialog>
  )
}

/** The server's message about the pattern itself; other failures are shown separately. */
function patternError(error: Error | null): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  return error.details.find(({ place }) => place.startsWith('interests.ignore'))?.message
}

type ProfilesProps = {
  profiles: Diff['profiles']
  skipped: ReadonlySet<string>
  onChoose: (id: string, isChosen: boolean) => void
}

function Profiles({ profiles, skipped, onChoose }: ProfilesProps) {
  if (profiles.length === 0) return <p>{strings.ignore.noProfiles}</p>
  return (
    <fieldset className="kit-choices">
      <legend>{strings.ignore.profiles}</legend>
      {profiles.map(({ id, name }) => (
        <label key={id} className="break">
          <input type="checkbox" checked={!skipped.has(id)} onChange={(event) => onChoose(id, event.target.checked)} />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  )
}

const pathOf = (id: string) => `/profiles/${encodeURIComponent(id)}`

/** Read right before writing, so that no concurrent change is lost; false when there was nothing to change. */
async function changeIgnored(id: string, change: (ignore: string[]) => string[]): Promise<boolean> {
  const profile = await api.get<Profile>(pathOf(id))
  const { interests } = profile
  const ignore = change(interests.ignore)
  if (ignore.length === interests.ignore.length) return false
  await api.put<Profile>(pathOf(id), { ...profile, interests: { ...interests, ignore } })
  return true
}

const add = (pattern: string) => (ignore: string[]) => [...new Set([...ignore, pattern])]
const remove = (pattern: string) => (ignore: string[]) => ignore.filter((each) => each !== pattern)

/** Changes all of the profiles or none. Returns those that did not ignore the pattern before. */
async function ignoreIn({ pattern, profiles }: Ignoring): Promise<string[]> {
  const changed: string[] = []
  try {
    for (const id of profiles) if (await changeIgnored(id, add(pattern))) changed.push(id)
  } catch (error) {
    for (const id of changed) await changeIgnored(id, remove(pattern))
    throw error
  }
  return changed
}

function useIgnore(document: string, onDone: () => void) {
  const client = useQueryClient()
  const refetch = async (): Promise<void> => {
    await Promise.all([
      client.invalidateQueries({ queryKey: ['documents', document, 'diff'] }),
      client.invalidateQueries({ queryKey: ['profiles'] }),
    ])
  }
  return useMutation({
    mutationFn: ignoreIn,
    onSuccess: (changed, { pattern }) => {
      didWithUndo(strings.ignore.done(pattern), async () => {
        for (const id of changed) await changeIgnored(id, remove(pattern))
        await refetch()
      })
      void refetch()
      onDone()
    },
  })
}
