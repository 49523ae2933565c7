/**
 * Every name under which a tool is known in the source documents and to models trained on other agents.
 * Case, `_` and `-` do not count, so `ReadFile`, `read_file` and `read-file` are one entry.
 */
export const toolAliases: Readonly<Record<string, readonly string[]>> = {
  read: ["read_file", "file_read", "view_file", "open_file"],
  write: ["write_file", "file_write", "create_file"],
  edit: ["edit_file", "file_edit", "replace", "str_replace"],
  list_files: ["ls", "list", "list_dir", "list_directory"],
  glob: ["find_files", "file_search", "glob_files"],
  grep: ["search", "grep_search", "search_files", "search_file_content"],
  bash: ["run_shell", "shell", "run_shell_command", "run_command", "execute_command", "run_terminal_cmd"],
  run_python: ["python", "execute_python"],
  processes: ["background_processes", "process"],
  web_fetch: ["fetch", "fetch_url", "url_fetch"],
  web_search: ["search_web", "google_web_search"],
  ask_user: ["ask_user_question", "question", "ask", "request_user_input", "ask_question"],
  list_custom_tools: [],
  reload_custom_tools: ["reload_tools"],
  tool_registry_status: [],
  create_or_update_custom_tool_file: [],
  delete_custom_tool_file: [],
  use_agent: ["spawn_agent", "task"],
  get_task_status: ["task_status"],
  cancel_task: [],
};
