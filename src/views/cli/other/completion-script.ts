/**
 * The scripts ask `pawl __complete` and never evaluate what was typed or what it answers. They call the `pawl` of the
 * PATH, not the word on the command line: a key press must not run a program that a folder happens to hold.
 */
export function completionScript(shell: 'bash' | 'zsh' | 'fish'): string {
  return { bash: BASH, zsh: ZSH, fish: FISH }[shell];
}

/** Bash takes words apart at `=` and `:` and replaces only the last part. Written for 3.2, the one that macOS has. */
const BASH = `# bash completion for pawl
_pawl() {
  local words=() word glued= i line value prefix
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ \${#words[@]} -gt 0 && ( $word == [=:] || -n $glued ) ]]; then
      words[\${#words[@]} - 1]+=$word
      if [[ $word == [=:] ]]; then glued=1; else glued=; fi
    else
      words[\${#words[@]}]=$word
    fi
  done
  word=\${words[\${#words[@]} - 1]}
  prefix=
  if [[ $word == --*=* && $COMP_WORDBREAKS == *=* ]]; then prefix=\${word%%=*}=; fi
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default 2>/dev/null || _pawl_paths -f "\${word#"$prefix"}" ;;
      :directories) compopt -o dirnames 2>/dev/null || _pawl_paths -d "\${word#"$prefix"}" ;;
      :*) ;;
      *)
        value=\${line%%$'\\t'*}
        COMPREPLY[\${#COMPREPLY[@]}]=\${value#"$prefix"}
        ;;
    esac
  done < <(command pawl __complete -- "\${words[@]}" 2>/dev/null </dev/null)
}

_pawl_paths() {
  local path
  while IFS= read -r path; do COMPREPLY[\${#COMPREPLY[@]}]=$path; done < <(compgen "$1" -- "$2")
}

complete -F _pawl pawl
`;

const ZSH = `#compdef pawl
# zsh completion for pawl
_pawl() {
  local -a values shown
  local line value about kind=
  while IFS= read -r line; do
    case $line in
      :*) kind=$line ;;
      *)
        value=\${line%%$'\\t'*}
        about=\${line#*$'\\t'}
        values+=("$value")
        if [[ -n $about ]]; then shown+=("$value  -- $about"); else shown+=("$value"); fi
        ;;
    esac
  done < <(command pawl __complete -- "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null </dev/null)
  if [[ $kind == :files || $kind == :directories ]]; then
    [[ $PREFIX == --*=* ]] && compset -P '*='
    if [[ $kind == :files ]]; then _files; else _files -/; fi
  elif ((\${#values})); then
    compadd -l -V pawl -d shown -a values
  fi
}

if [[ \${funcstack[1]} == _pawl ]]; then _pawl "$@"; else compdef _pawl pawl; fi
`;

const FISH = `# fish completion for pawl
function __pawl_complete
    set -l before (commandline -opc)
    set -l typed (commandline -ct)
    for line in (command pawl __complete -- $before[2..-1] "$typed" 2>/dev/null </dev/null)
        switch $line
            case ':files' ':directories'
                set -l flag (string match -r -- '^--[^=]+=' "$typed")
                set -l path (string replace -- "$flag" '' "$typed")
                set -l found
                if test $line = :files
                    set found (__fish_complete_path "$path")
                else
                    set found (__fish_complete_directories "$path" '')
                end
                for one in $found
                    echo -- "$flag$one"
                end
            case ':*'
            case '*'
                echo -- $line
        end
    end
end

complete -c pawl -f -a '(__pawl_complete)'
`;
