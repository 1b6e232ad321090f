import './editor.css'
import { useEffect, useRef, useState } from 'react'
import { Link, useParams } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { messageOf } from '../api/client.ts'
import type { Profile } from '../api/types.ts'
import { useShortcuts } from '../keyboard/shortcuts.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { Form } from '../kit/field.tsx'
import { Page } from '../kit/page.tsx'
import { Segments } from '../kit/segments.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { strings as shared } from '../kit/strings.ts'
import { showToast } from '../kit/toast.tsx'
import { useQueryState } from '../url/query-state.ts'
import { type Draft, draftOf } from './draft.ts'
import { PreviewPane, usePreview } from './preview-pane.tsx'
import { ProfileForm } from './profile-form.tsx'
import { ProfileMenu } from './profile-menu.tsx'
import { strings } from './strings.ts'
import { forgetDraft, useDraft, useProfileToEdit } from './use-draft.ts'
import { useSaveProfile } from './use-save-profile.ts'
import { ValidationContext } from './validation-errors.ts'
import { XmlEditor } from './xml-editor.tsx'

const text = strings.editor

export default function ProfileEditor() {
  const { id } = useParams<{ id: string }>()
  const editing = useProfileToEdit(id)
  if (editing.isError)
    return (
      <Page title={text.title}>
        <ErrorState
          query={editing}
          advice={
            <>
              {text.missing} <Link href="/profiles">{text.seeAll}</Link>
            </>
          }
        />
      </Page>
    )
  if (editing.data === undefined)
    return (
      <Page title={text.title}>
        <LoadingState label={text.loading} />
      </Page>
    )
  return <Editor key={id} id={id} {...editing.data} />
}

type Props = { id: string; base: Draft; unsaved: Draft | null; profile: Profile | null }

function Editor({ id, base, unsaved, profile }: Props) {
  const { draft, change, isDirty, discard, take, takePaused } = useDraft(id, base, unsaved)
  const [view, setView] = useQueryState('view', 'form')
  const [isRestored, setIsRestored] = useState(unsaved !== null)
  const preview = usePreview(draft)
  const form = useRef<HTMLFormElement>(null)
  // Focus the only field that a new profile needs.
  useEffect(() => {
    if (id === 'new') form.current?.querySelector<HTMLElement>('.profiles-source input')?.focus({ preventScroll: true })
  }, [id])

  function saved(stored: Profile) {
    take(draftOf(stored))
    setIsRestored(false)
    void forgetDraft(id)
    showToast([text.saved(stored.name), ...(stored.warnings ?? [])].join(' '))
    if (id === 'new') navigate(`/profiles/${encodeURIComponent(stored.id)}`, { replace: true })
  }
  const { save, errors } = useSaveProfile(id, saved)
  const shownErrors = save.isError ? errors : preview.errors
  const canSave = draft.sources.some(({ uri }) => uri.trim() !== '') && !save.isPending
  const submit = () => {
    if (canSave) save.mutate(draft)
  }
  useShortcuts(text.title, [{ keys: 'Ctrl+s', label: strings.keys.save, run: submit }])

  return (
    <Page
      title={id === 'new' ? strings.new : draft.name || text.title}
      lead={
        <>
          <Link href="/profiles">{text.all}</Link> {draft.paused && <Badge tone="warn">{strings.paused}</Badge>}
        </>
      }
      actions={
        <>
          <Segments
            label={text.view}
            value={view === 'xml' ? 'xml' : 'form'}
            segments={[
              { value: 'form', label: text.form },
              { value: 'xml', label: text.xml },
            ]}
            onChange={setView}
          />
          {profile !== null && (
            <ProfileMenu profile={profile} isPaused={draft.paused} onPaused={({ paused }) => takePaused(paused)} />
          )}
        </>
      }
    >
      {view === 'xml' ? (
        <XmlEditor id={id} isDirty={isDirty} onSaved={saved} />
      ) : (
        <ValidationContext value={shownErrors}>
          <Form ref={form} className="kit-stack profiles-editor" onSubmit={submit}>
            <ProfileForm
              draft={draft}
              onChange={(changes) => {
                save.reset()
                change(changes)
              }}
            />
            <PreviewPane draft={draft} state={preview} />
            <div className="kit-row profiles-save">
              <p className="small profiles-save-word" role="status">
                {save.isError && (
                  <span className="kit-field-error">
                    {errors.length > 0 ? text.notSaved(errors.length) : messageOf(save.error)}
                  </span>
                )}
                {!save.isError && isDirty && <span className="soft">{isRestored ? text.restored : text.unsaved}</span>}
                {!save.isError && !isDirty && id === 'new' && <span className="soft">{text.addressIsEnough}</span>}
                {!save.isError && !isDirty && id !== 'new' && <span className="faint">{text.allSaved}</span>}
              </p>
              {isDirty && (
                <Button
                  label={text.discard}
                  onClick={() => {
                    discard()
                    setIsRestored(false)
                    save.reset()
                  }}
                />
              )}
              <Button
                label={save.isPending ? shared.saving : shared.save}
                type="submit"
                variant="primary"
                disabled={!canSave || (!isDirty && id !== 'new')}
              />
            </div>
          </Form>
        </ValidationContext>
      )}
    </Page>
  )
}
