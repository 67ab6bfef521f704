// SPDX-License-Identifier: GPL-2.0-only
/*
 * What arrives on a device, in a form that two runs can be compared by: a line for
 * each packet, in order, with its length, a sum over each byte, and its VLAN tag.
 *
 * rxsum DEV COMMAND...
 *
 * Starts COMMAND, whose output goes to standard error, once it listens; ends when
 * COMMAND is done and nothing has come for a while.
 */
#define _GNU_SOURCE
#include <err.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 300

/* FNV-1a: any byte that differs, or is in another place, shows. */
static uint64_t sum(const unsigned char *p, size_t len)
{
	uint64_t h = 14695981039346656037u;

	while (len--)
		h = (h ^ *p++) * 1099511628211u;
	return h;
}

static void print(struct msghdr *msg, const unsigned char *frame, size_t len)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	struct tpacket_auxdata aux = {};

	if (c && c->cmsg_type == PACKET_AUXDATA)
		memcpy(&aux, CMSG_DATA(c), sizeof(aux));
	printf("%zu s%016llx %x\n", len, (unsigned long long)sum(frame, len),
	       aux.tp_status & TP_STATUS_VLAN_VALID ? 0x10000 | aux.tp_vlan_tci : 0);
}

int main(int argc, char **argv)
{
	static unsigned char frame[1 << 17];
	struct sockaddr_ll sll = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int fd, room = 256 << 20, on = 1, status = 0, waited = 0;
	struct pollfd pfd = { .events = POLLIN };
	pid_t child;

	if (argc < 3)
		errx(2, "usage: rxsum DEV COMMAND...");
	sll.sll_ifindex = if_nametoindex(argv[1]);
	if (!sll.sll_ifindex)
		err(2, "%s", argv[1]);
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	/* No clone of what the device sends is made for us. */
	if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) ||
	    bind(fd, (struct sockaddr *)&sll, sizeof(sll)))
		err(2, "packet socket");
	pfd.fd = fd;
	child = fork();
	if (child < 0)
		err(2, "fork");
	if (!child) {
		dup2(2, 1);
		execvp(argv[2], argv + 2);
		err(127, "%s", argv[2]);
	}
	while (waited < PATIENCE_MS) {
		char control[256];
		struct iovec iov = { frame, sizeof(frame) };
		struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
				      .msg_controllen = sizeof(control) };
		ssize_t len;

		if (poll(&pfd, 1, 50) <= 0) {
			if (child && waitpid(child, &status, WNOHANG) == child) {
				if (status)
					errx(2, "%s: status %#x", argv[2], status);
				child = 0;
			}
			waited += child ? 0 : 50;
			continue;
		}
		len = recvmsg(fd, &msg, 0);
		if (len < 0)
			err(2, "receive");
		print(&msg, frame, len);
	}
	return 0;
}
