import { optionTable } from "../parse-options.ts";
import { matchesName, type Rule } from "./command-rule.ts";

const erases = "It changes or erases a disk, a partition or a volume.";

/** Programs that change disks, and the operands or options with which they only look. */
const diskPrograms: readonly (readonly [programs: string, looks: string])[] = [
  ["mkfs mkfs.* mke2fs mkdosfs mkntfs newfs newfs_* mkswap mkudffs", ""],
  ["fdisk cfdisk sfdisk gdisk sgdisk cgdisk", "-l|--list|-d|--dump|-p|--print|-x|-s|-g|--show-size|-v|-V"],
  ["parted", "-l|--list|print|-v"],
  ["cryptsetup", "status|luksDump|isLuks|luksUUID|benchmark"],
  ["lvremove vgremove pvremove lvreduce lvresize lvcreate vgcreate pvcreate vgreduce pvmove lvconvert", ""],
  ["hdparm", "-I|-i|-t|-T|-tT|-g|-C"],
  ["blkdiscard ddrescue badblocks sg_format sg_sanitize kpartx growpart resize2fs xfs_growfs", ""],
  ["losetup", "-a|--all|-l|--list|-f|--find"],
  ["dmsetup", "ls|info|status|table|deps"],
  ["mdadm", "--detail|-D|--examine|-E|--query|-Q"],
  ["tune2fs", "-l"],
  ["debugfs", "-R|-V"],
  ["fsck fsck.* e2fsck xfs_repair", "-n|-N"],
  ["zpool", "list|status|get|history|iostat|events"],
  ["zfs", "list|get|diff|holds"],
  ["nvme", "list|id-ctrl|id-ns|smart-log|list-subsys"],
  ["diskutil", "list|info|activity|verifyVolume|verifyDisk"],
  ["mount mount.*", "-l|-V|-h"],
  ["umount fusermount fusermount3 eject swapon swapoff", "--show|-s|-V"],
  ["grub-install update-grub grub-mkconfig efibootmgr lilo bootctl bcdedit nvram", "-v|status|list|-p"],
];

export const diskRules: readonly Rule[] = [
  ...diskPrograms.map(([programs, looks]): Rule => ({
    id: "disk.change",
    programs,
    reason: erases,
    finds: ({ words, command }) => {
      if (words.length === 0)
        return !/^(?:mount|zfs|zpool|losetup|diskutil|nvme|efibootmgr|bootctl)$/.test(command.name);
      return looks === "" || !words.some((word) => matchesName(word.text, looks));
    },
  })),
  {
    id: "disk.change",
    programs: "wipefs",
    options: optionTable("a|all o|offset= f|force n|no-act t|types= b|backup"),
    reason: erases,
    finds: ({ options }) => options.has("all", "offset") && !options.has("no-act"),
  },
  {
    id: "disk.change",
    programs: "btrfs",
    reason: erases,
    finds: ({ words }) =>
      words.some((word) => /^(?:delete|format|remove|replace|balance|set-default)$/.test(word.text)),
  },
];
