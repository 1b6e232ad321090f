import { useState } from 'react'
import { ApiError, messageOf } from '../api/client.ts'
import type { Diff } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Field } from '../kit/field.tsx'
import { TextArea } from '../kit/input.tsx'
import { MAX_PATTERN, patternOf, type SelectedText } from './ignore-pattern.ts'
import { useIgnore } from './use-ignore.ts'

type Props = { document: string; profiles: Diff['profiles']; selected: SelectedText; onClose: () => void }

export function IgnoreDialog({ document, profiles, selected, onClose }: Props) {
  const [pattern, setPattern] = useState(() => patternOf(selected))
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const save = useIgnore(document, onClose)
  const chosen = profiles.filter(({ id }) => !left.has(id)).map(({ id }) => id)
  const isTooLong = pattern.length > MAX_PATTERN
  const fault = isTooLong ? tooLong(pattern) : faultOf(save.error)
  const choose = (id: string, isChosen: boolean): void => {
    const next = new Set(left)
    if (isChosen) next.delete(id)
    else next.add(id)
    setLeft(next)
  }
  return (
    <Dialog
      title="Ignore this from now on"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            disabled={pattern.trim() === '' || isTooLong || chosen.length === 0 || save.isPending}
            onClick={() => save.mutate({ pattern, profiles: chosen })}
          >
            Ignore it
          </Button>
        </>
      }
    >
      <div className="kit-form">
        <p>
          Where nothing changed but text that this matches, you are not told any more, and comparisons leave it out.
        </p>
        <Field
          label="Text to ignore, as a regular expression"
          hint="\d+ stands for any number, \s+ for any white space"
          error={fault}
        >
          <TextArea
            className="document-ignore-pattern"
            rows={3}
            spellCheck={false}
            value={pattern}
            onChange={(event) => setPattern(event.target.value.replaceAll('\n', ''))}
          />
        </Field>
        <Profiles profiles={profiles} left={left} onChoose={choose} />
        {save.isError && fault === undefined && <p role="alert">Not saved: {messageOf(save.error)}</p>}
      </div>
    </Dialog>
  )
}

function tooLong(pattern: string): string {
  return `It has ${pattern.length} characters; at most ${MAX_PATTERN} are possible. Select less, or shorten it.`
}

/** What the server says of the expression itself; other failures are told apart. */
function faultOf(error: Error | null): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  return error.details.find(({ place }) => place.startsWith('interests.ignore'))?.message
}

type ProfilesProps = {
  profiles: Diff['profiles']
  left: ReadonlySet<string>
  onChoose: (id: string, isChosen: boolean) => void
}

function Profiles({ profiles, left, onChoose }: ProfilesProps) {
  if (profiles.length === 0)
    return <p>None of your profiles watches this page, so there is none that could ignore it. Watch the page first.</p>
  return (
    <fieldset className="document-ignore-profiles">
      <legend>In these profiles, which watch this page</legend>
      {profiles.map(({ id, name }) => (
        <label key={id}>
          <input type="checkbox" checked={!left.has(id)} onChange={(event) => onChoose(id, event.target.checked)} />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  )
}
