export { permissionModes as permissionModeNames, type PermissionMode as PermissionModeName } from "../gate/mode.ts";
